// Package rundir is the one folder in the temporary folder where the servers of this process keep what they can't do
// without: sockets and clock files. Nothing of it outlives the process, whatever ends it.
package rundir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

// Folder is private to the user, and it goes when its last user goes. A janitor, a shell that waits for this process to
// end, removes it if nothing else does.
type Folder struct {
	Path    string
	count   int // of servers so far
	users   int
	owner   *os.File // locked while this process lives
	dir     *os.File // a short way to the folder
	janitor *exec.Cmd
	leash   io.Closer // the janitor's input
}

// Prefix begins the name of every folder of ours in the temporary folder.
const Prefix = "racebench-"

// ownerFile is locked by the process that a folder belongs to.
const ownerFile = "owner"

var shared struct {
	sync.Mutex
	folder *Folder
	swept  bool
}

// Open returns the folder of this process, and makes it for the first user. Each user must Release it.
func Open() (*Folder, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.folder == nil {
		if !shared.swept {
			sweepStale(os.TempDir())
			shared.swept = true
		}
		f, err := newFolder()
		if err != nil {
			return nil, err
		}
		shared.folder = f
	}
	shared.folder.users++
	return shared.folder, nil
}

func newFolder() (*Folder, error) {
	tmp := os.TempDir()
	path, err := os.MkdirTemp(tmp, Prefix)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("no folder for its socket in %s: %w", tmp, err)
	}
	f := &Folder{Path: path}
	if err := f.claim(); err != nil {
		f.remove()
		return nil, fmt.Errorf("folder %s: %w", path, err)
	}
	f.hire()
	return f, nil
}

// claim locks the folder. The lock is taken before the file has its name, so that no sweep sees it unlocked.
func (f *Folder) claim() error {
	draft := filepath.Join(f.Path, "draft")
	owner, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	f.owner = owner
	if err := lock(owner); err != nil {
		return err
	}
	if err := os.Rename(draft, filepath.Join(f.Path, ownerFile)); err != nil {
		return err
	}
	f.dir, err = os.Open(f.Path)
	return err
}

// janitorScript waits until nobody holds the other end of its input. A server that the kernel does not end with this
// process has its number in a file n.pid, a container its id in a file n.container.
const janitorScript = `trap '' INT TERM HUP QUIT
while read -r _; do :; done
for f in "$1"/*.pid; do [ -f "$f" ] && read -r p <"$f" && kill -9 "$p"; done 2>/dev/null
for f in "$1"/*.container; do [ -f "$f" ] && read -r c <"$f" && docker rm -f -v "$c" >/dev/null; done 2>/dev/null
rm -rf -- "$1"`

// hire starts the janitor. Without a shell the next run's sweep does its work.
func (f *Folder) hire() {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return
	}
	cmd := exec.Command(sh, "-c", janitorScript, "racebench-janitor", f.Path)
	cmd.Dir = "/"
	Detach(cmd)
	leash, err := cmd.StdinPipe()
	if err != nil {
		return
	}
	Keep(func() { err = cmd.Start() })
	if err != nil {
		leash.Close()
		return
	}
	f.janitor, f.leash = cmd, leash
}

// Next names the files of one more server.
func (f *Folder) Next() string {
	shared.Lock()
	defer shared.Unlock()
	f.count++
	return strconv.Itoa(f.count)
}

// Socket returns the path of a socket as the server, which runs in the folder, and as this process names it.
func (f *Folder) Socket(base string) (server, client string) {
	server = base + ".sock"
	client = filepath.Join(f.Path, server)
	if len(client) > MaxSocketPath {
		if short := filepath.Join("/proc/self/fd", strconv.Itoa(int(f.dir.Fd())), server); exists(filepath.Dir(short)) {
			client = short
		}
	}
	return server, client
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Release gives the folder back; the last user removes it.
func (f *Folder) Release() error {
	shared.Lock()
	defer shared.Unlock()
	if f.users--; f.users > 0 {
		return nil
	}
	shared.folder = nil
	return f.remove()
}

func (f *Folder) remove() error {
	err := os.RemoveAll(f.Path)
	if f.janitor != nil {
		f.leash.Close()
		f.janitor.Wait()
	}
	for _, file := range []*os.File{f.owner, f.dir} {
		if file != nil {
			file.Close()
		}
	}
	return err
}

// sweepStale removes the folders of processes that are gone, janitor and all.
func sweepStale(tmp string) {
	owners, err := filepath.Glob(filepath.Join(tmp, Prefix+"*", ownerFile))
	if err != nil {
		return
	}
	for _, path := range owners {
		if dir := filepath.Dir(path); Dead(dir) {
			os.RemoveAll(dir)
		}
	}
}

// Dead reports whether the process that a folder of this package belonged to is gone.
func Dead(dir string) bool {
	owner, err := os.OpenFile(filepath.Join(dir, ownerFile), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer owner.Close()
	return lock(owner) == nil
}

// Start starts a server that ends with this process, whatever ends it. Base, from Next, names the server's files.
func (f *Folder) Start(cmd *exec.Cmd, base string) error {
	Bind(cmd)
	var err error
	Keep(func() { err = cmd.Start() })
	if err != nil || KernelKills {
		return err
	}
	return os.WriteFile(filepath.Join(f.Path, base+".pid"), []byte(strconv.Itoa(cmd.Process.Pid)+"\n"), 0o600)
}
