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
// What waits in the server is modelled: a BLPOP on an empty list is not enabled until there is something for it, in the
// order in which such commands came, or until its timeout has passed. Time is virtual for everybody, the server included:
// a TTL runs out when the world's clock says so, and not before.
//
// # Limits
//
// The order of two timers due at the same instant, of ready select cases and of map iteration is Go's. A sync.Mutex that is
// held across a command, real network use and endless loops stop the virtual clock; they are reported as a potential
// deadlock. A panic of an actor's own function is reported, one in a goroutine that it started ends the process.
package interleave
