// Package interleave makes races between Redis clients happen in an exact order, in an ordinary Go test, on unchanged
// code.
//
// A [World] is one execution: a throwaway Redis state, a virtual clock, actors, invariants. It is built afresh for each
// schedule, in a testing/synctest bubble. An [Actor] is a simulated process: it has its own connections, shares no memory
// with other actors, and may use any number of goroutines, timers and contexts. An operation is one Redis command, or
// one MULTI…EXEC, that an actor has sent and that waits at the gate, where every operation waits until the scheduler lets
// it through. The subject does not know that the gate exists: its client is given a connection in memory, and its
// protocol is all that is looked at.
//
// A step is one thing that happens: an operation executed, a fault, a clock move, a delivery of a message. Steps are
// numbered from 1. A schedule is the list of steps as text; package schedule has its grammar. A [Trace] is a schedule
// with what was observed. An [Invariant] is a named, pure judgement over trace and state, judged always (after every
// step) or finally (when nothing more can happen). Its [Verdict] is held, violated or undecided; undecided is never
// counted as held.
//
//   - [Force] runs a world in the order of a schedule and fails the test if an invariant is violated.
//   - [Violates] keeps a race on record: it fails unless that invariant is violated.
//   - [Replay] is Force for the complete schedule that a failure printed.
//   - [Open] gives a [Runner] for programs and for many worlds in a row.
//
// [Explore] runs every order of commands and messages that is not equivalent to another. It has no faults, and the clock
// moves only when everybody waits, unless [Faults] and [Jumps] give it a budget of them.
//
// An exploration that found nothing has proved nothing if it never came to the race: [World.Window] names the stretch in
// which two actors must be at once, and where none of the orders had it open the exploration is undecided.
//
// What waits in the server is modelled: a BLPOP on an empty list is not enabled until there is something for it, or until
// its timeout has passed. Among those that came at one instant any may have reached the server first; those that came
// before the clock last moved wait there, and are served first come, first served, before anything else. Time is virtual for
// everybody, the server included: a TTL runs out when the world's clock says so, and not before.
//
// A command that waits at the gate was made when it came: a time that it carries as an argument is of then, whatever the
// clock does before it is executed. A schedule names commands as they are on the wire: SetNX with a TTL of go-redis is a
// SET.
//
// # Limits
//
// The order of two timers due at the same instant, of ready select cases and of map iteration is Go's. A sync.Mutex that is
// held across a command, real network use and endless loops stop the virtual clock; they are reported as a potential
// deadlock. A panic of an actor's own function is reported, one in a goroutine that it started ends the process.
//
// Channels and timers of a bubble must not leave it, or the runtime ends the process. So a world makes its clients, channels
// and contexts itself: use [Actor.Context], and not a context with a timeout from outside; if it must be one, call its Done
// once before the world. A go-redis client whose pool runs out of connections uses timers that the whole process shares:
// make the pool larger than the number of goroutines that use it (an actor's own has 64).
package interleave
