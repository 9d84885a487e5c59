// Package bubble runs functions in testing/synctest bubbles, in tests and in ordinary programs alike.
//
// synctest.Test wants a *testing.T, which only the testing package can make. In an ordinary program this package has
// testing.MainStart run one hidden test for the life of the process, and borrows its T. Nothing else in the module
// knows about that.
package bubble

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/racebench/racebench/internal/raced"
)

// Run runs f as the main goroutine of a new bubble and returns when every goroutine of the bubble has ended. It must
// be called outside any bubble; each call may come from any goroutine. A nil t borrows the hidden one.
//
// When goroutines remain that nothing can wake any more, Run returns a *DeadlockError and abandons them. A panic of f
// itself is a fatal error of the process, as in any goroutine: f recovers what it wants to survive.
func Run(t *testing.T, f func()) (err error) {
	if t == nil {
		// A hidden test that is started inside a bubble would belong to it, and that bubble could never end.
		if !hosted.Load() && inside() {
			return errors.New("bubble: synctest.Run called from within a synctest bubble")
		}
		t = host()
	}
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); ok {
				err = &DeadlockError{Err: e}
			} else {
				err = fmt.Errorf("bubble: %v", r) // called inside another bubble, or from a cleanup
			}
		}
	}()
	if raced.Enabled {
		defer oneProcessor()()
	}
	synctest.Test(t, func(*testing.T) { f() })
	return nil
}

// DeadlockError says that a bubble could not end, because goroutines in it are blocked for good.
type DeadlockError struct{ Err error }

func (e *DeadlockError) Error() string { return e.Err.Error() }

func (e *DeadlockError) Unwrap() error { return e.Err }

// hosted says that host has made its T.
var hosted atomic.Bool

// inside says whether the calling goroutine is in a bubble. The runtime tells it only in the first line of a stack.
func inside() bool {
	head := make([]byte, 64)
	head, _, _ = bytes.Cut(head[:runtime.Stack(head, false)], []byte("\n"))
	return bytes.Contains(head, []byte("synctest bubble"))
}

// host returns the T of the hidden test, which it starts on first use and which never ends.
var host = sync.OnceValue(func() *testing.T {
	testing.Init()
	if !flag.Parsed() {
		// MainStart would parse os.Args, which belong to the program.
		_ = flag.CommandLine.Parse(nil)
	}
	// In a test binary the hidden run sees the flags of the real one, and would open, and so empty, the same files.
	for _, name := range []string{"test.testlogfile", "test.cpuprofile", "test.trace"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			file := f.Value.String()
			_ = f.Value.Set("")
			defer func() { _ = f.Value.Set(file) }()
		}
	}
	ready := make(chan *testing.T)
	hidden := testing.InternalTest{Name: "bubble", F: func(t *testing.T) {
		ready <- t
		select {}
	}}
	m := testing.MainStart(deps{}, []testing.InternalTest{hidden}, nil, nil, nil)
	go m.Run()
	hosted.Store(true)
	return <-ready
})

// deps is what testing.MainStart asks of the go command's generated main. The hidden test needs none of it.
type deps struct{}

type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

func (deps) ImportPath() string                          { return "" }
func (deps) ModulePath() string                          { return "" }
func (deps) MatchString(pat, str string) (bool, error)   { return true, nil }
func (deps) SetPanicOnExit0(bool)                        {}
func (deps) StartCPUProfile(io.Writer) error             { return errUnused }
func (deps) StopCPUProfile()                             {}
func (deps) StartTestLog(io.Writer)                      {}
func (deps) StopTestLog() error                          { return nil }
func (deps) WriteProfileTo(string, io.Writer, int) error { return errUnused }
func (deps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type, string, string) error {
	return errUnused
}
func (deps) RunFuzzWorker(func(corpusEntry) error) error              { return errUnused }
func (deps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, errUnused }
func (deps) CheckCorpus([]any, []reflect.Type) error                  { return errUnused }
func (deps) ResetCoverage()                                           {}
func (deps) SnapshotCoverage()                                        {}
func (deps) InitRuntimeCoverage() (string, func(string, string) (string, error), func() float64) {
	return "", nil, nil
}

var errUnused = fmt.Errorf("bubble: not part of a hidden test")
