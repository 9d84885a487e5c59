package interleave

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The orders that are kept are those that are counted, each once, and the same when others explore them.
func TestKeptOrders(t *testing.T) {
	world := lostUpdate(3)
	whole := openFor(t, KeepOrders()).Explore(t.Context(), world)
	require.Len(t, whole.Kept, whole.Orders)
	seen, violating := map[string]bool{}, 0
	for _, k := range whole.Kept {
		seen[fmt.Sprint(k.Tokens)] = true
		if k.Outcome == Violated {
			violating++
		}
	}
	require.Len(t, seen, whole.Orders)
	require.Equal(t, whole.Violating, violating)
	require.Greater(t, whole.Orders, violating)

	r := openFor(t, KeepOrders())
	require.ElementsMatch(t, whole.Kept, r.ExploreParts(t.Context(), world).Kept)

	orders := 0
	for _, e := range whole.Endings {
		orders += e.Orders
		require.Equal(t, e.Outcome == Violated, len(e.Violates) > 0)
	}
	require.Equal(t, whole.Orders, orders)
	require.Len(t, whole.Endings, 2)
	require.ElementsMatch(t, whole.Endings, r.ExploreParts(t.Context(), world).Endings)

	require.Empty(t, openFor(t).Explore(t.Context(), world).Kept)
}

func TestKeptOrdersAreBounded(t *testing.T) {
	x := openFor(t, KeepOrders(), Unexplained(), MaxExecutions(MaxKeptOrders+100), Strategy("random"), Seed(1)).Explore(t.Context(), lostUpdate(2))
	require.Equal(t, MaxKeptOrders+100, x.Orders)
	require.Len(t, x.Kept, MaxKeptOrders)
}
