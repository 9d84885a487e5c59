package rundir

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder whose process and janitor were killed is removed by the next run, and that of a living one is not.
func TestStaleFolders(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	dead := filepath.Join(tmp, Prefix+"dead")
	if err := os.Mkdir(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dead, ownerFile), nil, 0o600)
	alive, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer alive.remove()
	sweepStale(tmp)
	if exists(dead) || !exists(alive.Path) {
		t.Errorf("dead folder exists: %v, living one: %v", exists(dead), exists(alive.Path))
	}
}
