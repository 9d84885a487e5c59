package interleave_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/racebench/racebench/internal/stranger"
)

// savedFiles are the files below the folder of saved orders, with what is in them.
func savedFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := filepath.Join(dir, "testdata")
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(text)
		return err
	}))
	return files
}

// TestSavedOrders: an order that makes a test fail is saved, is run first the next time, holds once the race is mended, and is
// left alone when it no longer fits.
func TestSavedOrders(t *testing.T) {
	tests, err := os.ReadFile(filepath.Join("testdata", "saved_test.go.txt"))
	require.NoError(t, err)
	dir := stranger.Module(t, map[string]string{"jobs_test.go": string(tests)})
	out, ok := goTest(t, dir, "-c", "-o", "jobs.test", ".") // linked once
	require.True(t, ok, out)
	test := func(args ...string) (string, bool) {
		return stranger.Run(t, dir, "./jobs.test", append(args, "-test.v")...)
	}

	out, ok = test("-test.run=TestNotSaved")
	require.False(t, ok, out)
	out, ok = test("-test.run=TestSaved", "-interleave.nosave")
	require.False(t, ok, out)
	require.Empty(t, savedFiles(t, dir))

	out, ok = test("-test.run=TestSaved")
	require.False(t, ok, out)
	require.Contains(t, out, "interleave: 2 of 4 orders violate, all explored\n")
	saved := savedFiles(t, dir)
	require.Len(t, saved, 1)
	file, text := "", ""
	for f, s := range saved { // any order: there is one
		file, text = f, s
	}
	assert.Regexp(t, `^testdata/interleave/TestSaved/every/order__A_x00B_[0-9a-f]{8}/[0-9a-f]{12}\.schedule$`, file)
	assert.Regexp(t, `^# An order that makes TestSaved/every/order:_A.x00B fail\. .*
# violates "one job a document" after step 6
# token 1\.TestSaved\S*
A\.GET A\.HSET B\.GET B\.HSET B\.SET A\.SET
$`, text)

	again, ok := test("-test.run=TestSaved")
	require.False(t, ok)
	require.Contains(t, again, "interleave: 1 of 1 orders violate, not all explored: the saved order "+file+" still goes wrong, the others are run when it no longer does\n")
	table := regexp.MustCompile(`(?s)\n +1 │.*replay: .*?\n`)
	require.Equal(t, table.FindString(out), table.FindString(again), "the order that was saved")
	require.Equal(t, saved, savedFiles(t, dir))

	// The last command is that of the one order; a token does the same.
	token := strings.TrimPrefix(regexp.MustCompile(`# token \S+`).FindString(text), "# token ")
	byToken, ok := test("-test.run=TestSaved", "-interleave.replay="+token)
	require.False(t, ok)
	require.Equal(t, table.FindString(out), table.FindString(byToken))
	byToken, ok = test("-test.run=TestNotSaved", "-interleave.replay="+token)
	require.False(t, ok)
	require.Regexp(t, `interleave: this token is of TestSaved\S+, and the test is TestNotSaved`, byToken)

	// From the token's beginning on everything is explored.
	from, ok := test("-test.run=TestSaved", "-interleave.replay=A.GET B.GET", "-interleave.mode=prefix")
	require.False(t, ok)
	require.Regexp(t, `interleave: 2 of 2 orders violate, all explored`, from)

	t.Setenv("SUBJECT", "fixed")
	out, ok = test("-test.run=TestSaved")
	require.True(t, ok, out)
	require.Contains(t, out, "interleave: "+file+" is ignored, since it no longer fits: schedule diverged at step 1 (token 1, A.GET): expected A GET, found A waiting with SET")
	require.Equal(t, saved, savedFiles(t, dir))

	// A race of another kind is found as if nothing were there, and saved beside it.
	t.Setenv("SUBJECT", "other")
	out, ok = test("-test.run=TestSaved")
	require.False(t, ok)
	require.Contains(t, out, "all explored")
	require.Len(t, savedFiles(t, dir), 2)

	// What can't be written or read is said in a line.
	t.Setenv("SUBJECT", "")
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "testdata")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "testdata"), nil, 0o644))
	out, ok = test("-test.run=TestSaved")
	require.False(t, ok)
	require.Contains(t, out, "interleave: this order is not saved for the next time: ")
	require.Contains(t, out, "interleave: 2 of 4 orders violate, all explored\n")
}
