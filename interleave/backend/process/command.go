package process

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/racebench/racebench/internal/rundir"
)

// command is how a server is started.
type command struct {
	binary string
	folder string
	socket string
	env    []string
	debug  bool // allow DEBUG; servers before 7.0 allow it anyway and know no such setting
}

func (c command) args() []string {
	args := []string{
		"--port", "0", "--unixsocket", c.socket, "--unixsocketperm", "700",
		"--save", "", "--appendonly", "no", "--dir", ".", "--daemonize", "no",
		// Work done in the background by real time would make two runs differ.
		"--hz", "1", "--activerehashing", "no",
	}
	if c.debug {
		args = append(args, "--enable-debug-command", "local")
	}
	return args
}

// child is a running server. Its fields are written by goroutines outside of any bubble.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	tail *tail
	pid  string // file that tells a janitor whom to end, where the kernel does not
}

// startTimeout is far more than a start takes on a loaded machine.
const startTimeout = 20 * time.Second

// start starts a server and waits until its socket answers.
func start(c command, socket string) (*child, error) {
	ch, err := spawn(c, socket)
	if err != nil && c.debug && strings.Contains(err.Error(), "enable-debug-command") {
		c.debug = false
		ch, err = spawn(c, socket)
	}
	return ch, err
}

func spawn(c command, socket string) (*child, error) {
	ch := &child{cmd: exec.Command(c.binary, c.args()...), done: make(chan struct{}), tail: &tail{}}
	ch.cmd.Dir = c.folder
	ch.cmd.Env = append(environment(), c.env...)
	rundir.Bind(ch.cmd)
	if err := ch.launch(); err != nil {
		if errors.Is(err, os.ErrPermission) {
			return nil, unavailable(fmt.Errorf("%s may not be executed by this user", c.binary), hint)
		}
		return nil, unavailable(fmt.Errorf("%s does not start: %w", c.binary, err), hint)
	}
	if !rundir.KernelKills {
		ch.pid = filepath.Join(c.folder, strings.TrimSuffix(c.socket, ".sock")+".pid")
		os.WriteFile(ch.pid, []byte(strconv.Itoa(ch.cmd.Process.Pid)+"\n"), 0o600)
	}
	if err := ch.await(c, socket); err != nil {
		ch.stop()
		return nil, err
	}
	return ch, nil
}

// environment is this process's own without what another virtual clock may have left.
func environment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "RACEBENCH_CLOCK=") {
			env = append(env, v)
		}
	}
	return env
}

// launch starts the process and the goroutine that waits for its end.
func (ch *child) launch() error {
	var err error
	rundir.Keep(func() {
		ch.done = make(chan struct{})
		ch.cmd.Stdout, ch.cmd.Stderr = ch.tail, ch.tail
		if err = ch.cmd.Start(); err != nil {
			return
		}
		go func() {
			ch.cmd.Wait()
			close(ch.done)
		}()
	})
	return err
}

// await polls the socket. The server needs about 5 ms, most of which is the dynamic linker's.
func (ch *child) await(c command, socket string) error {
	pause := 200 * time.Microsecond
	for waited := time.Duration(0); waited < startTimeout; waited += pause {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
			return nil
		}
		select {
		case <-ch.done:
			return unavailable(fmt.Errorf("%s ended at once (%s)", c.binary, ch.ended()), hint)
		default:
		}
		rundir.Sleep(pause)
		pause = min(pause*5/4, 10*time.Millisecond)
	}
	return unavailable(fmt.Errorf("%s does not answer on its socket within %s (last line of its log: %s)", c.binary,
		startTimeout, ch.tail.last()), "")
}

// obituary says how the server ended, or nothing while it runs. A connection can fail a little before the end is known.
func (ch *child) obituary() string {
	for range 100 {
		select {
		case <-ch.done:
			return ch.ended()
		default:
			rundir.Sleep(2 * time.Millisecond)
		}
	}
	return ""
}

// ended describes the end; it must have come.
func (ch *child) ended() string {
	state := ch.cmd.ProcessState.String()
	if line := ch.tail.last(); line != "" {
		return state + "; last line of its log: " + line
	}
	return state
}

// stop kills the server and waits for its end. It holds nothing worth saving.
func (ch *child) stop() {
	ch.cmd.Process.Kill()
	<-ch.done
	if ch.pid != "" {
		os.Remove(ch.pid)
	}
}

// tail keeps the last lines of a log.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailSize bounds what is kept, in bytes.
const tailSize = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last is the last line that says something. A report on bad configuration is quoted whole.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if i := strings.Index(string(t.text), "FATAL CONFIG FILE ERROR"); i >= 0 {
		return strings.Join(strings.Fields(string(t.text[i:])), " ")
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

var _ io.Writer = (*tail)(nil)
