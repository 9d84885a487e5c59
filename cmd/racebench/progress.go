package main

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how far a run is, with rate and remaining time, once it has taken a second.
type progress struct{ bar *progressbar.ProgressBar }

// newProgress shows nothing unless standard error is a terminal.
func (a *app) newProgress(f runFlags, plan []*planned) *progress {
	if f.quiet || !a.stderr.terminal() {
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
