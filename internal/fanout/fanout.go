// Package fanout explores the units of an exploration in several worker processes. Who explores which unit, and what dies on
// the way, makes no difference to what comes out: package interleave puts the parts together in the order of the units.
//
// A worker is the same program again. It reads units from standard input, a JSON document each, and writes messages to
// standard output; when its input ends it stops after the current world.
package fanout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/rundir"
)

// message is what a worker says: a part, or how many worlds it has run since it last said so.
type message struct {
	Part *interleave.Part `json:"part,omitempty"`
	Ran  int              `json:"ran,omitempty"`
}

// Plan says how an exploration is carried out.
type Plan struct {
	Assembly *interleave.Assembly
	// Workers is how many processes there are at most.
	Workers int
	// Command makes the command of a worker, ready but for its input and output. Nil keeps everything in this process.
	Command func() *exec.Cmd
	// Local explores a unit in this process, as long as the exploration is younger than Patience: a short one needs no
	// workers.
	Local    func(context.Context, interleave.Unit) interleave.Part
	Patience time.Duration
	// Ran is told how many worlds workers have run, as they go.
	Ran func(int)
	// Added is told after each part that has come.
	Added func()
	// Started is told the process of each worker, for tests.
	Started func(pid int)
}

// mostDeaths is how many workers a unit may cost before the exploration is given up.
const mostDeaths = 3

// Explore explores units until the assembly is done or the context ends; what has been explored of a unit then is added too.
// The error is one of workers that could not be started or died again and again.
func Explore(ctx context.Context, p Plan) error {
	for began := time.Now(); p.Command == nil || time.Since(began) < p.Patience; {
		if p.Assembly.Done() || ctx.Err() != nil {
			return nil
		}
		u, ok := p.Assembly.Next()
		if !ok {
			return nil
		}
		if err := p.add(p.Local(ctx, u)); err != nil {
			return err
		}
	}
	c := &crew{Plan: p, events: make(chan event), deaths: map[string]int{}}
	err := c.work(ctx)
	return errors.Join(err, c.dismiss(ctx))
}

func (p *Plan) add(part interleave.Part) error {
	err := p.Assembly.Add(part)
	if p.Added != nil {
		p.Added()
	}
	return err
}

// crew is the workers of an exploration.
type crew struct {
	Plan
	workers []*worker
	events  chan event
	deaths  map[string]int // by unit
}

type worker struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	said *tail // on standard error
	unit *interleave.Unit
	gone bool
}

// event is what a worker has said, or that it is gone.
type event struct {
	from *worker
	message
	gone error
}

// work hands units to workers until nothing more can change the exploration.
func (c *crew) work(ctx context.Context) error {
	for !c.Assembly.Done() && ctx.Err() == nil {
		if err := c.assign(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case e := <-c.events:
			if err := c.handle(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// assign gives each free worker a unit, and starts workers while there are units for them.
func (c *crew) assign() error {
	busy := 0
	for _, w := range c.workers {
		if w.unit != nil {
			busy++
			continue
		}
		if w.gone {
			continue
		}
		if u, ok := c.Assembly.Next(); ok {
			w.give(u)
			busy++
		}
	}
	for busy < c.Workers {
		u, ok := c.Assembly.Next()
		if !ok {
			break
		}
		w, err := c.start()
		if err != nil {
			c.Assembly.Return(u)
			return err
		}
		w.give(u)
		busy++
	}
	if busy == 0 {
		return errors.New("no unit is left, but parts are missing")
	}
	return nil
}

// give sends a unit. A worker that is gone is noticed by the end of its output.
func (w *worker) give(u interleave.Unit) {
	w.unit = &u
	_ = json.NewEncoder(w.in).Encode(u)
}

func (c *crew) handle(e event) error {
	w := e.from
	switch {
	case e.gone != nil:
		w.gone = true
		if w.unit == nil {
			return nil
		}
		u := *w.unit
		w.unit = nil
		c.Assembly.Return(u)
		if c.deaths[u.ID]++; c.deaths[u.ID] >= mostDeaths {
			return fmt.Errorf("a worker died %d times in unit %s: %w%s", mostDeaths, u.ID, e.gone, w.said)
		}
	case e.Part != nil:
		w.unit = nil
		return c.add(*e.Part)
	case c.Ran != nil:
		c.Ran(e.Ran)
	}
	return nil
}

// start starts a worker, which ends with this process whatever ends it.
func (c *crew) start() (*worker, error) {
	w := &worker{cmd: c.Command(), said: &tail{}}
	w.cmd.Stderr = w.said
	in, err := w.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.in = in
	rundir.Bind(w.cmd)
	rundir.Keep(func() { err = w.cmd.Start() })
	if err != nil {
		return nil, fmt.Errorf("a worker can't be started: %w", err)
	}
	if c.Started != nil {
		c.Started(w.cmd.Process.Pid)
	}
	c.workers = append(c.workers, w)
	go func() {
		d := json.NewDecoder(out)
		for {
			var m message
			err := d.Decode(&m)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					_ = w.cmd.Process.Kill() // it says what nobody understands
				}
				if werr := w.cmd.Wait(); werr != nil {
					err = werr
				}
				c.events <- event{from: w, gone: err}
				return
			}
			c.events <- event{from: w, message: m}
		}
	}()
	return w, nil
}

// dismissal is how long workers have to end by themselves.
const dismissal = 10 * time.Second

// dismiss ends all workers, after their current world. What they have explored of their unit is added when the context has
// ended: it is part of the truth, if not of what can be resumed.
func (c *crew) dismiss(ctx context.Context) error {
	for _, w := range c.workers {
		w.in.Close()
	}
	var all error
	late := time.After(dismissal)
	for c.left() > 0 {
		select {
		case e := <-c.events:
			if e.gone != nil {
				e.from.gone = true
			} else if e.Part != nil && ctx.Err() != nil && !c.Assembly.Done() {
				all = errors.Join(all, c.add(*e.Part))
			}
		case <-late:
			for _, w := range c.workers {
				_ = w.cmd.Process.Kill()
			}
		}
	}
	return all
}

func (c *crew) left() int {
	n := 0
	for _, w := range c.workers {
		if !w.gone {
			n++
		}
	}
	return n
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if n := len(t.text); n > tailSize {
		t.text = append(t.text[:0], t.text[n-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return ""
	}
	return "\n" + strings.TrimSpace(string(t.text))
}
