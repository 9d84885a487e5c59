package scenarios

import (
	"github.com/racebench/racebench/impl"
	"github.com/racebench/racebench/interleave"
)

// The windows of the races, as the engine counts them: an exploration in which none of them opened has not reached the
// race. naive has one between two of its commands. lua decides within one, so that what can be told is that the requests
// were under way at once: the scripts of both waited, and one was executed first.

type span = interleave.Span

// on is an operation on a key, as it stands in a span.
func on(command, key string) string { return command + "(" + key + ")" }

// writes is the command by which the world's implementation writes the state of a job.
func (w *jobsWorld) writes(job impl.Job) string {
	if w.impl == "naive" {
		return on("HSET", job.Key())
	}
	return on("EVAL", job.Key())
}

// startsMeet is a window of two starts.
func (w *jobsWorld) startsMeet() {
	pointer := w.job("").PointerKey()
	if w.impl == "naive" {
		w.Window("between GET and SET of the pointer", span{From: on("GET", pointer), To: on("SET", pointer)})
		return
	}
	w.Window("two starts at once")
}

// diesAlone is a window in which an actor dies, after the given operation if there is one, while another is there to go on.
func (w *jobsWorld) diesAlone(name, dies, after, other string) {
	w.Window(name, span{Actor: dies, From: after, To: interleave.Crash}, span{Actor: other})
}
