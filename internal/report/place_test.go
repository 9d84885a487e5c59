//go:build unix

package report

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A path can stand for something that a new file must not take the place of.
func TestWriteFileKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.md"), filepath.Join(dir, "link.md")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))
	require.NoError(t, os.Symlink("target.md", link))
	require.NoError(t, Writable(link))
	require.NoError(t, WriteFile(link, []byte("new")))
	to, err := os.Readlink(link)
	require.NoError(t, err, "the link stays one")
	require.Equal(t, "target.md", to)
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "new", string(text))
	info, err := os.Stat(target)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "what others could not read they still can't")

	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	r, err := os.OpenFile(pipe, os.O_RDWR, 0) // a reader that does not wait for a writer
	require.NoError(t, err)
	defer r.Close()
	require.NoError(t, Writable(pipe))
	require.NoError(t, WriteFile(pipe, []byte("page")))
	info, err = os.Lstat(pipe)
	require.NoError(t, err)
	require.Equal(t, os.ModeNamedPipe, info.Mode().Type(), "the pipe stays one")
	got := make([]byte, 4)
	_, err = r.Read(got)
	require.NoError(t, err)
	require.Equal(t, "page", string(got))
}
