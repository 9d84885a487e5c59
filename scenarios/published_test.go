package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The published run, figure for figure: each forced order 100 times, on keys of its own.
func TestPublishedFigures(t *testing.T) {
	const repeats = 100
	r := open(t)
	sums := map[string]map[string]Counts{}
	for _, impl := range []string{"naive", "lua"} {
		sums[impl] = map[string]Counts{}
		for _, id := range PublishedScenarios {
			s, err := Find(id)
			require.NoError(t, err)
			c, ok := s[0].Case(impl)
			require.True(t, ok)
			require.Len(t, c.Variants, 1)
			v := &c.Variants[0]
			sums[impl][id] = Counts{}
			for n := range repeats {
				res := run(t, r, v, fmt.Sprintf("doc-%d", n+1))
				require.Empty(t, v.Check(res))
				sums[impl][id].Add(v.Count(res))
			}
		}
	}
	assert.Equal(t, strings.TrimSpace(`
100 forced interleaving scenarios
GET -> SET: job hashes=200, unreferenced jobs=100
Lua acquire: acquired=100, reused=100, job hashes=100
Terminal transition: late SUCCESS before=100, after=0
Pointer ownership: late SUCCESS rejected=100, current pointers preserved=100
All invariants passed`), strings.Join(Published(repeats, sums["naive"], sums["lua"], true), "\n"))
}

func TestPublishedDoesNotSayPassedWhenItIsNot(t *testing.T) {
	lines := Published(1, map[string]Counts{}, map[string]Counts{}, false)
	assert.Equal(t, "Not all invariants passed", lines[len(lines)-1])
}
