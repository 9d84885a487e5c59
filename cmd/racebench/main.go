// Command racebench shows races of code that keeps its state in Redis: each in the one order of commands that breaks it,
// on the version that reads and then writes and on the version that decides inside one script.
//
//	racebench run                  every race, with the figures of the published run
//	racebench show A1              the story of one
//	racebench replay A1 'A.. B..'  one in an order of your own
//
// See racebench help for the rest, exit codes included.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"

	"github.com/redis/go-redis/v9/logging"
)

func main() { os.Exit(runAs(itself, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// itself is this command once more, with the same arguments and more.
func itself(more ...string) *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	cmd := exec.Command(path, append(slices.Clone(os.Args[1:]), more...)...)
	cmd.Args[0] = os.Args[0]
	return cmd
}

// run is the whole command, in this process alone: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runAs(nil, args, stdin, stdout, stderr)
}

// runAs is run for a process that can start itself again.
func runAs(itself func(...string) *exec.Cmd, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// One P makes the order in which goroutines start stable, and hand-overs between them cheap.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // worlds are short, and what they leave is small
	logging.Disable()                                 // go-redis tells standard error what is none of a reader's business
	a := &app{stdout: &printer{w: stdout}, stderr: &printer{w: stderr}, args: args, stdin: stdin, itself: itself}
	ctx, stop := a.interruptible()
	defer stop()
	a.stdout.ascii, a.stderr.ascii = a.asciiOnly, a.asciiOnly
	root := newRoot(a)
	root.SetIn(stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	if args == nil {
		args = []string{} // cobra would read os.Args
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if context.Cause(ctx) != nil {
		return codeInterrupted // and that has been said
	}
	return a.end(err)
}

// app is what the commands share.
type app struct {
	stdout, stderr *printer
	args           []string
	plain          bool // no colours
	ascii          bool // nothing beyond ASCII
	quiet, verbose bool
	wide           bool // nothing is folded or shortened
	stdin          io.Reader
	itself         func(...string) *exec.Cmd // nil where the process can't be started again
}

// interruptible returns a context that ends with the first SIGINT, SIGTERM or SIGHUP. The second ends the process at once;
// what it has started ends with it.
func (a *app) interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, over := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it ignored
		signal.Notify(signals, syscall.SIGHUP)
	}
	// Without a receiver of SIGPIPE a closed pipe would end the process before it has cleaned up.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	go func() {
		select {
		case <-signals:
			cancel(errInterrupted)
			fmt.Fprintln(a.stderr, "racebench: interrupted, stopping after the current world (once more: at once)")
		case <-over:
			return
		}
		select {
		case <-signals:
			os.Exit(codeInterrupted)
		case <-over:
		}
	}()
	return ctx, sync.OnceFunc(func() {
		signal.Stop(signals)
		signal.Stop(pipes)
		close(over)
		cancel(nil)
	})
}

// printer remembers the first error of its writer and writes nothing after it.
type printer struct {
	w     io.Writer
	ascii func() bool // nothing else is to be printed; nil for no

	mu  sync.Mutex
	err error
}

func (p *printer) Write(text []byte) (int, error) {
	if p.ascii != nil && p.ascii() {
		_, err := p.write([]byte(toASCII(string(text))))
		return len(text), err
	}
	return p.write(text)
}

// closed reports whether nothing that is written arrives any more.
func (p *printer) closed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

func (p *printer) write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		_, p.err = p.w.Write(text)
	}
	return len(text), nil
}
