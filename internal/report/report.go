// Package report holds what racebench writes for other programs: the documents that docs/results.md describes, and how
// they are stored and loaded.
//
// A document of a run is deterministic: the same code on the same backend gives the same bytes. What differs from run to
// run (times, versions, the machine) is in a second document, Meta.
package report

import (
	"encoding/json"

	"github.com/racebench/racebench/interleave"
)

// Schema is the version of the documents. It changes when a field changes its meaning or goes; new fields leave it.
const Schema = 1

// Kinds of documents.
const (
	KindRun         = "run"
	KindReplay      = "replay"
	KindExploration = "exploration"
	KindParts       = "exploration.parts"
	KindMeta        = "run.meta"
	KindCatalogue   = "catalogue"
	KindDoctor      = "doctor"
	KindTimeToBug   = "time-to-bug"
	KindFuzz        = "fuzz"
	KindDiff        = "diff"
)

// Head begins every document.
type Head struct {
	Schema int    `json:"schema"` // version of the form of the documents, which changes when a field goes or changes its meaning
	Kind   string `json:"kind"`   // what the document is
}

// Parts is what has been explored of an exploration: a shard, or a checkpoint.
type Parts struct {
	Head
	Backend  Backend           `json:"backend"`
	Scenario string            `json:"scenario"`        // A1
	Settings map[string]string `json:"settings"`        // flags of racebench explore that are not at their default
	Shard    string            `json:"shard,omitempty"` // which of how many: 2/3; empty of a checkpoint
	Units    int               `json:"units"`           // of the whole exploration
	Parts    []interleave.Part `json:"parts"`           // those that are done, in the order in which they came
}

// Run is what racebench run found.
type Run struct {
	Head
	Backend   Backend  `json:"backend"`
	Database  Backend  `json:"-"`                   // the SQL database, where one was used; the same traces come of each
	Published []string `json:"published,omitempty"` // the six lines of the published run; none unless A1 to A4 ran on naive and lua
	Results   []Result `json:"results"`             // in the order of the catalogue
	Orders    []Orders `json:"orders,omitempty"`    // how many orders of each race violate on each implementation
	// Measurements are numbers that depend on how many actors there are, in the order of the catalogue.
	Measurements []Measurement `json:"measurements,omitempty"`
}

// Measurement is a number of a scenario for several numbers of actors, on each of several ways to do it.
type Measurement struct {
	Scenario string   `json:"scenario"` // B10
	Title    string   `json:"title"`    // what was measured
	X        string   `json:"x"`        // what the actors are: requests
	Unit     string   `json:"unit"`     // of the values: s
	Series   []Series `json:"series"`   // one for each line of a plot
	Rows     []Row    `json:"rows"`     // by rising numbers of actors
}

// Series is one of the ways to do it: an implementation, and its variant where there are several.
type Series struct {
	Impl    string `json:"impl"`              // naive
	Variant string `json:"variant,omitempty"` // empty where there is only one
}

// Row is what was measured with one number of actors.
type Row struct {
	Actors int       `json:"actors"` // how many
	Values []float64 `json:"values"` // one for each series
}

// Orders is what the exploration of a race on an implementation came to, in the world of its first variant.
type Orders struct {
	Scenario  string `json:"scenario"`            // A1
	Impl      string `json:"impl"`                // naive
	Variant   string `json:"variant,omitempty"`   // empty where there is only one
	Faults    string `json:"faults,omitempty"`    // faults and moves of the clock that a world may have
	Violating int    `json:"violating"`           // orders that violate an invariant
	Undecided int    `json:"undecided,omitempty"` // orders that could not be judged
	Orders    int    `json:"orders"`              // that were run to their end
	Complete  bool   `json:"complete"`            // all inequivalent orders, not only the first of them

	// Kept are the first of them, in a document that a page was made of.
	Kept []interleave.KeptOrder `json:"kept,omitempty"`
}

// Backend names the throwaway Redis.
type Backend struct {
	Name    string `json:"name"`    // embedded, process, container or url
	Version string `json:"version"` // the server's own
}

// Result is one forced order of one scenario on one implementation.
type Result struct {
	Scenario    string         `json:"scenario"`          // A1
	Name        string         `json:"name"`              // duplicate-acquire
	Impl        string         `json:"impl"`              // naive
	Variant     string         `json:"variant,omitempty"` // empty where there is only one
	Schedule    string         `json:"schedule"`          // what was forced
	Expected    Expected       `json:"expected"`
	AsExpected  bool           `json:"as_expected"`           // every repeat was so
	Differences []string       `json:"differences,omitempty"` // what is not as expected
	Repeats     int            `json:"repeats"`               // how often it ran
	Counts      map[string]int `json:"counts,omitempty"`      // of all repeats together, counted in Redis
	Decision    *Decision      `json:"decision,omitempty"`    // what the first violation hangs on
	Token       string         `json:"token,omitempty"`       // of the run that the decision is about, or of the first
	Runs        []Observed     `json:"runs"`                  // what happened; repeats that differ only in their target are one entry
}

// Expected is what the catalogue says of one repeat.
type Expected struct {
	Shows  string         `json:"shows"`            // in words
	Breaks []Break        `json:"breaks,omitempty"` // none: every invariant holds
	Counts map[string]int `json:"counts,omitempty"` // what is counted in Redis and in notes
	// Measured are the values of a measurement, by the number of actors.
	Measured map[int]float64 `json:"measured,omitempty"`
}

// Break names an invariant that is violated and the step after which it is.
type Break struct {
	Invariant string `json:"invariant"` // its name
	Step      int    `json:"step"`      // after which; 0 before the first
}

// Decision is the pair of steps, or the one fault, that a violation hangs on.
type Decision struct {
	Steps []int  `json:"steps"` // their numbers
	Text  string `json:"text"`  // in words
	// Flipped is the order that was run to find that out; none where there is none.
	Flipped *Flipped `json:"flipped,omitempty"`
}

// Flipped is the nearest order with the deciding pair the other way round, or without the deciding fault.
type Flipped struct {
	Schedule string   `json:"schedule"`                                                    // makes exactly this happen again
	Outcome  string   `json:"outcome" jsonschema:"enum=held,enum=undecided,enum=violated"` // held, or violated where only the decided invariant holds
	Violates []string `json:"violates,omitempty"`                                          // other invariants
	// Seen is what happened, in a document that a page was made of. The schedule makes it again.
	Seen *Observed `json:"seen,omitempty"`
}

// Observed is what happened in one world, or in several that differ only in their target.
type Observed struct {
	Target   string    `json:"target"`                                                      // of the trace
	Repeats  string    `json:"repeats,omitempty"`                                           // which: "1-40,42-100"; none in a replay
	Outcome  string    `json:"outcome" jsonschema:"enum=held,enum=undecided,enum=violated"` // held, undecided or violated
	Error    string    `json:"error,omitempty"`                                             // why the world could not be judged
	Verdicts []Verdict `json:"verdicts"`                                                    // one for each invariant
	Remarks  []string  `json:"remarks,omitempty"`                                           // of the backend, about fidelity
	Order    string    `json:"order"`                                                       // the schedule that makes exactly this happen again
	Trace    Trace     `json:"trace"`
}

// Verdict is what was judged of one invariant.
type Verdict struct {
	Invariant string `json:"invariant"`                                                   // its name
	Outcome   string `json:"outcome" jsonschema:"enum=held,enum=undecided,enum=violated"` // held, undecided or violated
	Detail    string `json:"detail,omitempty"`                                            // what was found
	Step      int    `json:"step"`                                                        // after which
	When      string `json:"when" jsonschema:"enum=always,enum=finally"`                  // it is judged: after every step, or when nothing more can happen
}

// Trace is every step with what was observed, and the keys before and after.
type Trace struct {
	Before     []Key               `json:"before"`               // keys before the first step
	Events     []string            `json:"events,omitempty"`     // what became of actors before the first step
	Steps      []Step              `json:"steps"`                // in the order in which they happened
	After      []Key               `json:"after"`                // keys after the last step
	Undeclared []Change            `json:"undeclared,omitempty"` // changes that no step named
	Notes      []Note              `json:"notes,omitempty"`      // what actors said about themselves
	Bound      string              `json:"bound,omitempty"`      // what ended the world too early
	Waited     []interleave.Waited `json:"waited,omitempty"`     // operations that came to the gate and never went through
}

// Step is one thing that happened.
type Step struct {
	N       int        `json:"n"`                 // number, from 1
	Kind    string     `json:"kind"`              // operation, arrive, deliver, clock, crash or server
	Actor   string     `json:"actor,omitempty"`   // whose; none for the clock and the server
	Server  string     `json:"server,omitempty"`  // which of several
	SQL     bool       `json:"sql,omitempty"`     // a statement to the SQL database
	Token   string     `json:"token"`             // in a schedule
	Command []string   `json:"command,omitempty"` // as sent; a script by its digest, of SQL the statement and its arguments
	Queued  [][]string `json:"queued,omitempty"`  // the commands of a transaction
	Keys    []string   `json:"keys,omitempty"`    // that the command names
	Fault   string     `json:"fault,omitempty"`   // crash, lost, unsent, late, drop; restart, failover(n), flushscripts, evict
	Reply   string     `json:"reply,omitempty"`   // as text; none when nothing was executed
	Advance string     `json:"advance,omitempty"` // how far the clock moved
	At      string     `json:"at"`                // virtual time since the world began
	Changes []Change   `json:"changes,omitempty"` // what it did to keys
	Since   int        `json:"since,omitempty"`   // the step after which the operation had come to the gate; absent for before the first
	Caller  string     `json:"caller,omitempty"`  // file:line inside the subject
	Events  []string   `json:"events,omitempty"`  // what became of actors by the next step
}

// Change is what a step did to a key.
type Change struct {
	Key    string `json:"key"`              // its name; after the name of its server and / where there are several
	Before *Entry `json:"before,omitempty"` // none: the key is new
	After  *Entry `json:"after,omitempty"`  // none: the key is gone
}

// Key is a key with its value.
type Key struct {
	Key   string `json:"key"` // its name; after the name of its server and / where there are several
	Value *Entry `json:"value"`
}

// Entry is the value of a key.
type Entry struct {
	Type      string   `json:"type"`                 // string, hash, list, set, zset or stream
	Items     []string `json:"items"`                // one of a string; members; field, value, … of a hash; member, score, … of a sorted set; id, fields, … of a stream
	ExpiresMS *int64   `json:"expires_ms,omitempty"` // virtual time since the world began; none: it stays
}

// Note is what an actor said about itself.
type Note struct {
	Actor string `json:"actor"` // who said it
	Key   string `json:"key"`   // what it is about
	Value string `json:"value"` // what was said
}

// Replay is what racebench replay found.
type Replay struct {
	Head
	Backend  Backend   `json:"backend"`
	Scenario string    `json:"scenario"`          // A1
	Name     string    `json:"name"`              // duplicate-acquire
	Impl     string    `json:"impl"`              // naive
	Variant  string    `json:"variant,omitempty"` // empty where there is only one
	Actors   int       `json:"actors,omitempty"`  // where another number than usual was asked for
	Schedule string    `json:"schedule"`          // what was asked for: a schedule or a token
	Before   string    `json:"before,omitempty"`  // constraints on the rest
	Mode     string    `json:"mode"`              // strict or best-effort
	Skipped  []string  `json:"skipped,omitempty"` // what a best effort has left out
	Token    string    `json:"token"`             // of the run; empty when there is none
	Replay   string    `json:"replay,omitempty"`  // as in Violation
	Class    string    `json:"class"`             // the kind of race, where it can be told; else empty
	Story    string    `json:"story"`             // of a violation, in sentences
	Shorter  string    `json:"shorter,omitempty"` // a simpler order that violates the same
	Decision *Decision `json:"decision,omitempty"`
	Observed
}

// Exploration is what racebench explore found.
type Exploration struct {
	Head
	Backend    Backend             `json:"backend"`
	Scenario   string              `json:"scenario"`                   // A1
	Name       string              `json:"name"`                       // duplicate-acquire
	Impl       string              `json:"impl"`                       // naive
	Variant    string              `json:"variant,omitempty"`          // empty where there is only one
	Actors     int                 `json:"actors,omitempty"`           // where another number than usual was asked for
	Begins     string              `json:"begins,omitempty"`           // the schedule or token that every order begins with, strictly
	Steps      int                 `json:"begins_steps,omitempty"`     // for how many steps of it; absent for all
	Preempt    *int                `json:"preemptions,omitempty"`      // the bound, where there was one
	Strategy   string              `json:"strategy"`                   // exhaustive, portfolio, random, pct, pos or surw
	Seed       *uint64             `json:"seed" jsonschema:"nullable"` // of a strategy that draws; null for one that does not
	Executions int                 `json:"executions"`                 // worlds run
	Orders     int                 `json:"orders"`                     // run to their end; inequivalent ones when exhaustive
	Undecided  int                 `json:"undecided"`                  // orders that could not be judged
	Pruned     int                 `json:"pruned"`                     // worlds cut short, because their orders were explored already
	Faults     string              `json:"faults,omitempty"`           // faults and moves of the clock that a world may have
	Met        int                 `json:"met,omitempty"`              // worlds cut short in a state that had been met before
	States     int                 `json:"states,omitempty"`           // states met, with --fingerprints
	Repeated   int                 `json:"repeated,omitempty"`         // of the executions, those that were run once more in units
	Violating  int                 `json:"violating"`                  // orders that violate some invariant
	FirstAt    int                 `json:"first_at,omitempty"`         // the execution that found the first order to go wrong, from 1
	All        string              `json:"all_orders,omitempty"`       // orders, equivalent ones included, where that is known; a decimal number of any size
	Exhausted  bool                `json:"exhausted"`                  // all inequivalent orders were run
	Verdict    interleave.Outcome  `json:"verdict"`                    // held, violated or undecided
	Reason     string              `json:"reason"`                     // the bound or the error that ended it too early, or why an order could not be judged
	Violations []Violation         `json:"violations"`                 // never null
	Endings    []interleave.Ending `json:"endings"`                    // the ways in which orders end, the most frequent first; each order is in one
	Differs    string              `json:"differs,omitempty"`          // how the first order that did not come to the same a second time differed
	// Windows says in how many orders two actors were at once in a window of the race.
	Windows   []interleave.WindowCount `json:"windows,omitempty"`
	Serial    *interleave.Serial       `json:"serial,omitempty"`                            // with --serial
	Coverage  *Coverage                `json:"coverage,omitempty"`                          // with --why
	PerSecond *float64                 `json:"executions_per_second" jsonschema:"nullable"` // differs from run to run; null where nothing was run
	// Examples are of the violations, in the same order. They are in a document that a page was made of, and else only there as
	// long as the command lives.
	Examples []Example              `json:"examples,omitempty"`
	Kept     []interleave.KeptOrder `json:"kept,omitempty"` // the first of the orders, where there are examples
}

// Coverage is what an exploration has looked at.
type Coverage struct {
	Verdict    string                     `json:"verdict"`              // in one sentence
	Actors     []interleave.ActorCoverage `json:"actors"`               // what was seen of each
	Keys       []interleave.KeyCoverage   `json:"keys"`                 // who touched each
	OneWay     []string                   `json:"one_way,omitempty"`    // pairs of operations that were seen in one order only
	Everything []string                   `json:"everything,omitempty"` // operations that may touch every key
	Unseen     []string                   `json:"unseen,omitempty"`     // what never passed the gate
}

// Violation is one way in which orders go wrong.
type Violation struct {
	Invariant string    `json:"invariant"` // its name, or the kind of error
	Class     string    `json:"class"`     // the kind of race, where it can be told; else empty
	Decides   string    `json:"decides"`   // what the shrunk order hangs on, in words; empty when nothing single
	Token     string    `json:"token"`     // of the simplest order found, or of the first where none was looked for
	Shrunk    string    `json:"shrunk"`    // the schedule of the simplest order found; empty when the finding was not explained
	Story     string    `json:"story"`     // of that order, in sentences
	Orders    int       `json:"orders"`    // that violate it
	Schedule  string    `json:"schedule"`  // the first found, with the fewest preemptions
	Steps     int       `json:"steps"`     // of that order
	Decision  *Decision `json:"decision,omitempty"`
	// Replay is the command that runs the order again; empty in a document of the racebench command, where the token says it.
	Replay string `json:"replay,omitempty"`
	// Confirmed says what the orders came to on a second backend, with --confirm.
	Confirmed *Confirmed `json:"confirmed,omitempty"`
}

// Confirmed is what a counterexample came to on a second backend.
type Confirmed struct {
	Backend Backend `json:"backend"`
	Same    bool    `json:"same"`            // both did the same, step by step
	Fault   string  `json:"fault,omitempty"` // what differed, or why it could not be run there
}

// Meta is about a run, and differs from run to run.
type Meta struct {
	Head
	Tool    string   `json:"tool"`    // version of racebench
	Go      string   `json:"go"`      // version of Go
	System  string   `json:"system"`  // linux/amd64
	CPUs    int      `json:"cpus"`    // of the machine
	Command []string `json:"command"` // arguments
	Started string   `json:"started"` // RFC 3339, UTC
	Seconds float64  `json:"seconds"` // altogether
	Times   []Time   `json:"times"`   // one for each result of the run, in the same order
}

// Time is how long a result took.
type Time struct {
	Scenario string  `json:"scenario"`          // A1
	Impl     string  `json:"impl"`              // naive
	Variant  string  `json:"variant,omitempty"` // empty where there is only one
	Worlds   int     `json:"worlds"`            // repeats
	Seconds  float64 `json:"seconds"`           // altogether
}

// Observe describes a result of the engine.
func Observe(res *interleave.Result, target string) (Observed, error) {
	o := Observed{
		Target:  target,
		Outcome: res.Outcome().String(),
		Remarks: append([]string(nil), res.Notes...),
		Order:   res.Trace.Schedule().String(),
		// Lists that a reader loops over are there even when they are empty.
		Verdicts: []Verdict{},
		Trace:    Trace{Before: []Key{}, Steps: []Step{}, After: []Key{}},
	}
	if res.Err != nil {
		o.Error = res.Err.Error()
	}
	t := res.Trace
	o.Trace.Events, o.Trace.Bound = t.Events, t.Bound
	for _, part := range []struct{ from, to any }{
		{res.Verdicts, &o.Verdicts},
		{t.Before, &o.Trace.Before},
		{t.Steps, &o.Trace.Steps},
		{t.After, &o.Trace.After},
		{t.Undeclared, &o.Trace.Undeclared},
		{t.Notes, &o.Trace.Notes},
		{t.Waited, &o.Trace.Waited},
	} {
		if err := convert(part.from, part.to); err != nil {
			return o, err
		}
	}
	return o, nil
}

// convert copies what the engine marshals into the types of this package, which know every field of it.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	if string(text) == "null" {
		return nil
	}
	return decode(text, to)
}

// Doctor is which backends can be used here.
type Doctor struct {
	Head
	Backends []Check `json:"backends"` // all that there are
}

// Check is what was found of one backend.
type Check struct {
	Name    string `json:"name"`              // embedded, process, container or url
	Usable  bool   `json:"usable"`            // here and now
	Version string `json:"version,omitempty"` // of the server
	How     string `json:"how,omitempty"`     // where it is, and whose clock it has
	Problem string `json:"problem,omitempty"` // why it can't be used
	Hint    string `json:"hint,omitempty"`    // how to get it
}

// Catalogue is what racebench list and show print.
type Catalogue struct {
	Head
	Scenarios []Scenario `json:"scenarios"` // that were asked for
}

// Scenario is one race of the catalogue.
type Scenario struct {
	ID      string  `json:"id"`              // A1
	Name    string  `json:"name"`            // duplicate-acquire
	Subject string  `json:"subject"`         // jobs
	Title   string  `json:"title"`           // in a few words
	Story   string  `json:"story"`           // who, what goes wrong, for whom
	Window  string  `json:"window"`          // the code path
	Limit   string  `json:"limit,omitempty"` // that the fixed version shares
	Orders  []Order `json:"orders"`          // naive first
}

// Order is a forced order with what must come of it.
type Order struct {
	Impl     string   `json:"impl"`              // naive
	Variant  string   `json:"variant,omitempty"` // empty where there is only one
	Schedule string   `json:"schedule"`          // what is forced
	Expected Expected `json:"expected"`
}
