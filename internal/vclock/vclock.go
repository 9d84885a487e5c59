//go:build unix

// Package vclock makes the wall clock of another process virtual: a small preloaded library that reads the time from a
// memory-mapped file, and the file.
package vclock

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Variable is the environment variable that tells the library where the clock file is.
const Variable = "RACEBENCH_CLOCK"

//go:embed preload/clock.c
var source []byte

// ErrUnsupported is wrapped by the errors of Library where no such library can be had, whatever is installed.
var ErrUnsupported = errors.New("a virtual wall clock needs Linux on x86-64 or arm64")

// compilers are tried in this order.
var compilers = []string{"cc", "gcc", "clang"}

var library struct {
	sync.Mutex
	path string
	err  error
}

// Library returns the path of the library to preload. It is compiled once a machine and user, by the C compiler found
// on PATH, and kept in the user's cache folder.
func Library() (string, error) {
	library.Lock()
	defer library.Unlock()
	if library.path == "" && library.err == nil {
		library.path, library.err = find()
	}
	return library.path, library.err
}

func find() (string, error) {
	if runtime.GOOS != "linux" || (runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64") {
		return "", ErrUnsupported
	}
	sum := sha256.Sum256(source)
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place to keep the clock library: %w", err)
	}
	dir = filepath.Join(dir, "racebench")
	path := filepath.Join(dir, "vclock-"+runtime.GOARCH+"-"+hex.EncodeToString(sum[:8])+".so")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("no place to keep the clock library: %w", err)
	}
	return path, compile(dir, path)
}

// compile builds into a temporary name and renames, so that several processes may do so at once.
func compile(dir, path string) error {
	cc := ""
	for _, name := range compilers {
		if found, err := exec.LookPath(name); err == nil {
			cc = found
			break
		}
	}
	if cc == "" {
		return fmt.Errorf("no C compiler on PATH (tried %s)", strings.Join(compilers, ", "))
	}
	tmp, err := os.CreateTemp(dir, "build-*.so")
	if err != nil {
		return err
	}
	tmp.Close()
	defer os.Remove(tmp.Name())
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, cc, "-shared", "-fPIC", "-O2", "-nostdlib", "-fno-stack-protector", "-fno-builtin",
		"-o", tmp.Name(), "-x", "c", "-")
	cmd.Stdin = strings.NewReader(string(source))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cc, err, firstLine(string(out)))
	}
	// Readable by all, since the user of a container's server is another one.
	if err := os.Chmod(tmp.Name(), 0o755); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// Clock is a file that holds the time of one server.
type Clock struct {
	path string
	mem  []byte
}

// pageSize is what the library maps; the file must be as long on any machine.
const pageSize = 4096

// New makes the clock file path, at the time now. The server that reads it is taken to be starting until Started.
func New(path string, now time.Time) (*Clock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Truncate(pageSize); err != nil {
		return nil, err
	}
	mem, err := unix.Mmap(int(f.Fd()), 0, pageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("mmap %s: %w", path, err)
	}
	c := &Clock{path: path, mem: mem}
	c.Starting(now)
	return c, nil
}

// Environment returns the variables that make a program use the clock, given where it sees the library and the file.
func Environment(library, file string) []string {
	return []string{"LD_PRELOAD=" + library, Variable + "=" + file}
}

// Path is where the file is.
func (c *Clock) Path() string { return c.path }

// Set moves the clock; the server sees it at its next look.
func (c *Clock) Set(now time.Time) { c.word(0).Store(now.UnixNano()) }

// Starting says that a server is about to start, at the time now, and shall take its seeds from that alone.
func (c *Clock) Starting(now time.Time) {
	c.Set(now)
	c.word(1).Store(1)
}

// Started says that the server has started and seeded itself.
func (c *Clock) Started() { c.word(1).Store(0) }

// Close unmaps and removes the file. Set must not be called afterwards.
func (c *Clock) Close() error {
	if c.mem == nil {
		return nil
	}
	err := errors.Join(unix.Munmap(c.mem), os.Remove(c.path))
	c.mem = nil
	return err
}

func (c *Clock) word(i int) *atomic.Int64 {
	return (*atomic.Int64)(unsafe.Pointer(&c.mem[8*i]))
}
