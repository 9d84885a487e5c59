package scenarios

import (
	"time"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/invariants"
)

var b12 = &Scenario{
	ID:      "B12",
	Name:    "lost-wake-up",
	Subject: locksSubject,
	Title:   "a waiter sleeps on although the lock is free",
	Story: `Q finds the lock taken and subscribes to the channel on which it will be said that it is free. Before the subscription
exists, P gives the lock back and says so, to nobody. Q waits for a message that will never come, to the end of its patience, and
fails; the lock was free all the time. The same happens when the message gets lost, or P dies without one. Who looks at the lock
once more when the subscription exists, and again when the lease it has met is over, waits no longer than that lease.`,
	Window: "Lock: between the refused SET of the lock and SUBSCRIBE",
	Cases: []Case{
		{Impl: "naive", Variants: []Variant{
			wakeUp("naive", "published before it is subscribed", "P.SET Q.SET P.. Q.SUBSCRIBE", sleeps(7)),
			wakeUp("naive", "the message is lost", "P.SET Q.SET Q.SUBSCRIBE P.. Q.deliver!drop", sleeps(8)),
			wakeUp("naive", "the owner dies", "P.SET Q.SET Q.SUBSCRIBE P!crash", sleeps(5)),
		}},
		{Impl: "lua", Variants: []Variant{
			wakeUp("lua", "published before it is subscribed", "P.EVAL Q.EVAL P.EVAL Q.SUBSCRIBE", Variant{
				Shows:  "the waiter looks again when it has subscribed, and has the lock at once",
				Counts: Counts{admitted: 2, atOnce: 1, lostLease: 0, timeouts: 0},
			}),
			wakeUp("lua", "the message is lost", "P.EVAL Q.EVAL Q.SUBSCRIBE Q.EVAL P.EVAL Q.deliver!drop", Variant{
				Shows:  "the waiter looks again when the lease that it has met is over",
				Counts: Counts{admitted: 2, atOnce: 1, lostLease: 0, timeouts: 0},
			}),
			wakeUp("lua", "the owner dies", "P.EVAL Q.EVAL Q.SUBSCRIBE Q.EVAL P!crash", Variant{
				Shows:  "the waiter looks again when the lease that it has met is over",
				Counts: Counts{admitted: 2, atOnce: 1, lostLease: 0, timeouts: 0},
			}),
		}},
	},
}

// sleeps is what naive shows, the last step being the given one.
func sleeps(last int) Variant {
	return Variant{
		Breaks: []Break{{invariants.AnsweredIn("", "", 0).Name, last}},
		Shows:  "the waiter sleeps its whole wait of 5 s, and fails",
		Counts: Counts{admitted: 1, atOnce: 1, lostLease: 0, timeouts: 1},
	}
}

// shortLease is that of B12: less than anybody waits, so that it is the lease that bounds the wait.
const shortLease = 2 * time.Second

func wakeUp(name, variant, schedule string, v Variant) Variant {
	v.Name, v.Schedule, v.Count = variant, schedule, countOwners
	v.World = func(w *interleave.World, target string) {
		l := locks(w, name, target)
		l.cfg.Lease, l.timed = shortLease, true
		l.owner("P", 0, 0)
		l.owner("Q", 0, 0)
		l.meet()
		const lastMillisecond = time.Millisecond // which a key lives through
		w.Check(invariants.AnsweredIn(noteAsks, noteAnswered, shortLease+lastMillisecond), computing.Alone(),
			invariants.ReleasedByOwner(l.lock(), false))
	}
	return v
}
