package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/racebench/racebench/interleave"
)

// progress shows how far a run is, with rate and remaining time, once it has taken a second.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress shows nothing unless standard error is a terminal.
func (a *app) newProgress(f runFlags, plan []*planned) *progress {
	if a.quiet || !a.stderr.terminal() {
		return &progress{}
	}
	worlds := 0
	for _, p := range plan {
		worlds += p.repeats
	}
	return &progress{progressbar.NewOptions(worlds,
		progressbar.OptionSetWriter(&late{w: a.stderr, from: time.Now().Add(time.Second)}),
		progressbar.OptionSetDescription("worlds"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("worlds"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionSetWidth(20),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

// live is what an exploration has found so far, for the one who waits.
type live struct {
	text  atomic.Pointer[string]
	total atomic.Int64 // about how many executions there will be; 0 while nobody can tell
}

// tell takes over how far the units are.
func (l *live) tell(a *interleave.Assembly) {
	x, done, units := a.Progress()
	text := fmt.Sprintf("%d orders", x.Orders)
	if done > 0 && x.Repeated < x.Executions {
		text += fmt.Sprintf(" of about %d", max(x.Orders*units/done, x.Orders))
		l.total.Store(int64(max(x.Executions*units/done, x.Executions)))
	}
	if x.States > 0 {
		text += fmt.Sprintf(", %d states", x.States)
	}
	text += fmt.Sprintf(", %d violate; executions", x.Violating)
	l.text.Store(&text)
}

func (l *live) String() string {
	if text := l.text.Load(); text != nil {
		return *text
	}
	return "executions"
}

// left is how much longer an exploration will take at the rate of so far, where the number of its executions is estimated.
func (l *live) left(ran int64, took time.Duration) string {
	total := l.total.Load()
	if total <= ran || ran == 0 {
		return ""
	}
	left := time.Duration(float64(took) * float64(total-ran) / float64(ran))
	return fmt.Sprintf("about %v left; ", max(left.Round(time.Second), time.Second))
}

// watchExploration shows how far an exploration is, with its rate, until the returned function is called. A world runs on
// virtual time, so it is watched from outside.
func (a *app) watchExploration(f exploreFlags, executions *atomic.Int64, seen *live) (stop func()) {
	if f.json || a.quiet || f.watch.on || !a.stderr.terminal() {
		return func() {}
	}
	bar := progressbar.NewOptions(f.max,
		progressbar.OptionSetWriter(&late{w: a.stderr, from: time.Now().Add(time.Second)}),
		progressbar.OptionSetDescription("executions"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("executions"),
		progressbar.OptionSetPredictTime(f.strategy != exhaustive), // nobody knows how many there are
		progressbar.OptionSetWidth(20),
		progressbar.OptionClearOnFinish(),
	)
	started := time.Now()
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				_ = bar.Clear()
				return
			case <-tick.C:
				ran := executions.Load()
				text := seen.String()
				if f.strategy == exhaustive { // the bar knows of the others how many there are
					text = seen.left(ran, time.Since(started)) + text
				}
				bar.Describe(text)
				_ = bar.Set64(ran)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

func (p *progress) step() {
	if p.bar != nil {
		_ = p.bar.Add(1)
	}
}

// finish removes the bar from the screen.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// late drops what is written before its time has come.
type late struct {
	w    io.Writer
	from time.Time
}

func (l *late) Write(text []byte) (int, error) {
	if time.Now().Before(l.from) {
		return len(text), nil
	}
	return l.w.Write(text)
}
