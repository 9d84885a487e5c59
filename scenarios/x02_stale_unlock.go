package scenarios

import "github.com/racebench/racebench/impl/calibration"

// Commands of A beside the lines that it writes: the SET that takes the lock, the GET and the DEL that give it back.
const (
	staleLines = 29 // 32 commands against the 3 of B
	lateLines  = 11 // 14
)

var x02 = &Scenario{
	ID:      "X2",
	Name:    "stale-unlock",
	Subject: calibrationSubject,
	Title:   "a lock is deleted under the one who has just taken it over",
	Story: `A does a long piece of work under a lock: 32 commands. A supervisor, B, believes A dead and takes the lock over: 3
commands. A is alive and gives the lock back at the end of its work: it reads that the lock is still its own, and deletes it. If
B takes over between these two, A deletes the lock of B, and a third may come in while B works. The window is one command wide, at
the end of the long actor: who walks at random has the short one behind it long before, and is in the window once in 268 million walks.`,
	Window: "Release: between GET and DEL of the lock",
	Cases:  staleUnlock(staleLines),
}

// staleUnlock makes the cases of a work of so many lines.
func staleUnlock(lines int) []Case {
	const others = 6 // commands: SET, GET and DEL of A, GET, SET and HSET of B
	return []Case{
		{Impl: "naive", Variants: []Variant{{
			Schedule: "A..DEL B.GET B.SET A.. B..",
			World:    takeover((*calibration.Lock).Release, lines),
			Breaks:   []Break{{lockKept, lines + others}},
			Shows:    "B holds the lock, and nobody does",
			Count:    countLocks,
			Counts:   Counts{takeovers: 1, locksHeld: 0},
		}}},
		{Impl: "lua", Variants: []Variant{{
			Schedule: "A..EVAL B.GET B.SET A.. B..",
			World:    takeover((*calibration.Lock).ReleaseScript, lines),
			Shows:    "A finds that the lock is not its own any more, and B keeps it",
			Count:    countLocks,
			Counts:   Counts{takeovers: 1, locksHeld: 1},
		}}},
	}
}
