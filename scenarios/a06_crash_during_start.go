package scenarios

import (
	"fmt"
	"time"

	"github.com/racebench/racebench/interleave"
)

var a06 = &Scenario{
	ID:      "A6",
	Name:    "crash-during-start",
	Subject: "jobs",
	Title:   "a process dies in the middle of a start",
	Story: `A process that starts a job dies on the way: a deployment, the out-of-memory killer, a power cut. Naive leaves a
job that no pointer names, for ever if it died before EXPIRE, and the next request starts another. The tempting repair
claims the pointer first, with SET NX. Then it leaves a pointer to nothing, and every request is told that a job is
running which does not exist, until the TTL of the pointer has passed. One script leaves nothing or all.`,
	Window: "Start: between each pair of its commands",
	Cases: []Case{
		{Impl: "naive", Variants: crashes("naive", []string{"GET", "HSET", "EXPIRE", "SET"}, afterNaiveCrash)},
		{Impl: "lua", Variants: crashes("lua", []string{"EVAL"}, afterLuaCrash)},
		{Impl: "setnx", Variants: crashes("setnx", []string{"SET", "HSET", "EXPIRE"}, afterSetnxCrash)},
	},
}

// afterCrash fills in what a variant shows when A has died at the given step, with a number of the commands of its
// Start executed.
type afterCrash func(v *Variant, executed, step int)

// crashes makes one variant for each point at which Start can die: before each of its commands is sent, and after each is
// executed, before its reply. Then B starts.
func crashes(impl string, commands []string, fill afterCrash) []Variant {
	var out []Variant
	for i, command := range commands {
		done := ""
		for _, c := range commands[:i] {
			done += "A." + c + " "
		}
		for _, point := range []struct {
			name, token string
			executed    int
		}{
			{"dies before " + command, "A!crash", i},
			{"dies after " + command, "A." + command + "!crash", i + 1},
		} {
			v := Variant{
				Name:     point.name,
				Schedule: done + point.token + " B..",
				Faults:   "crash:1",
				World:    crashDuringStart(impl),
				Count:    countCrash,
			}
			fill(&v, point.executed, i+1)
			out = append(out, v)
		}
	}
	return out
}

// pointerTTL is that of the pointer, and here of the job too: both end together, so that what one leaves without the
// other is the crash's doing.
const pointerTTL = 20 * time.Minute

func crashDuringStart(impl string) func(*interleave.World, string) {
	return func(w *interleave.World, target string) {
		j := jobs(w, impl, target)
		j.cfg.PointerTTL, j.cfg.JobTTL = pointerTTL, pointerTTL
		j.actor("A", (*process).start)
		j.actor("B", (*process).start)
		if impl == "setnx" {
			j.actor("C", (*process).start)
		}
		j.diesAlone("A dies in its start, and B goes on", "A", "", "B")
		w.Check(judge.NoUnreferenced(), judge.PointerNamesJob())
	}
}

func afterNaiveCrash(v *Variant, executed, step int) {
	switch executed {
	case 0, 1: // nothing was written
		v.Shows = "nothing is left, and B starts its job"
		v.Counts = crashCounts(1, 0, 0, 1, 0, 0)
	case 2, 3: // the hash, and then its TTL
		v.Shows = "a hash without a pointer, and B starts a second job"
		v.Breaks = []Break{{judge.NoUnreferenced().Name, step}}
		v.Counts = crashCounts(2, 1, 3-executed, 1, 0, 0)
		if executed == 2 {
			v.Shows = "a hash without a pointer, for ever, and B starts a second job"
		}
	default: // the pointer
		v.Shows = "the whole job is there, and B is given it"
		v.Counts = crashCounts(1, 0, 0, 0, 1, 0)
	}
}

func afterLuaCrash(v *Variant, executed, _ int) {
	if executed == 0 {
		v.Shows = "nothing is left, and B starts its job"
		v.Counts = crashCounts(1, 0, 0, 1, 0, 0)
		return
	}
	v.Shows = "the whole job is there, and B is given it"
	v.Counts = crashCounts(1, 0, 0, 0, 1, 0)
}

// afterSetnxCrash lets the TTL of the pointer pass, too, and then C start.
func afterSetnxCrash(v *Variant, executed, step int) {
	v.Schedule += fmt.Sprintf(" +%v C..", pointerTTL+time.Second)
	switch executed {
	case 0: // nothing was written
		v.Shows = "nothing is left, and B starts its job"
		v.Counts = crashCounts(1, 0, 0, 2, 0, 0)
	case 1: // the pointer
		v.Shows = "a pointer without a hash: B is given a job that does not exist; after the TTL C starts one"
		v.Breaks = []Break{{judge.PointerNamesJob().Name, step}}
		v.Counts = crashCounts(1, 0, 0, 1, 1, 1)
	case 2: // the hash, without its TTL: it is left when the pointer goes
		const untilPointerGone = 3 // B's SET and GET, then the clock
		v.Shows = "a hash for ever, which no pointer names once the TTL of the pointer has passed"
		v.Breaks = []Break{{judge.NoUnreferenced().Name, step + untilPointerGone}}
		v.Counts = crashCounts(2, 1, 1, 1, 1, 0)
	default: // its TTL
		v.Shows = "the whole job is there, and B is given it"
		v.Counts = crashCounts(1, 0, 0, 1, 1, 0)
	}
}

var countCrash = counting(jobHashes, unreferencedJobs, foreverHashes, acquired, reused, blockedStarts)

func crashCounts(hashes, unreferenced, forever, got, met, blocked int) Counts {
	return Counts{jobHashes: hashes, unreferencedJobs: unreferenced, foreverHashes: forever,
		acquired: got, reused: met, blockedStarts: blocked}
}
