package impl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestItems(t *testing.T) {
	ctx := t.Context()
	db, err := OpenMemory(ctx)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, Migrate(ctx, db), "a second migration changes nothing")
	require.NoError(t, AddItems(ctx, db, "doc-1", 2))
	require.NoError(t, AddItems(ctx, db, "doc-2", 1))
	assert.Error(t, AddItems(ctx, db, "doc-1", 1), "the row exists")

	for range 2 {
		_, err = db.ExecContext(ctx, UpdateItem, "one", "doc-1", 1)
		require.NoError(t, err)
	}
	items, err := ReadItems(ctx, db, "doc-1")
	require.NoError(t, err)
	assert.Equal(t, []Item{{Index: 0}, {Index: 1, Text: "one", Applied: 2}}, items)
}

func TestOpenMemoryIsNotShared(t *testing.T) {
	for range 2 {
		db, err := OpenMemory(t.Context())
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, AddItems(t.Context(), db, "doc-1", 1))
	}
}
