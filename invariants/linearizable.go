package invariants

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/racebench/racebench/interleave"
)

// Op is one operation of a history: what an actor asked of a thing, and what it got.
type Op struct {
	Actor  string
	Call   []string // its name and arguments
	Result string
	Known  bool // false: it never returned, or its result is unknown; it may have happened or not
}

// String is "A put 1 → ok".
func (o Op) String() string {
	result := "?"
	if o.Known {
		result = o.Result
	}
	return o.Actor + " " + strings.Join(o.Call, " ") + " → " + result
}

// Sequential says how a thing behaves when operations come one after the other. Its state is text, so that equal
// states are equal texts.
type Sequential struct {
	Name string // of the thing, for messages: "register"
	Init string
	// Step gives the state after an operation, and whether its result is right in the state before it. One whose result
	// is not known is right in every state: it does what it can.
	Step func(state string, o Op) (right bool, next string)
}

// Unknown result of a [Return]: the operation may have happened or not, as after a lost reply.
const UnknownResult = "?"

// Call is the value of the note that an actor makes before an operation; Return that of the one it makes after it.
// Words have no spaces in them.
func Call(name string, args ...string) string {
	return "call " + strings.Join(append([]string{name}, args...), " ")
}

// Return is the value of the note that an actor makes when an operation has returned.
func Return(result string) string { return "return " + result }

// maxWidth is how many operations may be open at one moment for a history to be judged: the cost grows exponentially
// with it, and a limit of time would make the verdict depend on the machine.
const maxWidth = 14

// Linearizable holds when each operation of a history can be given one moment between its call and its return, so that
// all results are right one after the other (Herlihy and Wing, ACM TOPLAS 12(3), 1990; judged by Porcupine).
//
// The history is in the notes of a key, as [Call] and [Return] write them; an actor has one operation at a time. The
// order of notes is the order of the trace. It is undecided when there is no history, when it can't be read, or when
// more operations overlap than can be judged.
func Linearizable(note string, m Sequential) interleave.Invariant {
	return interleave.Invariant{Name: m.Name + " is linearizable", When: interleave.FinallyHolds, Judge: func(s *interleave.State) interleave.Verdict {
		ops, err := history(s.Notes(note))
		if err != nil {
			return undecided("%v", err)
		}
		if len(ops) == 0 {
			return undecided("no history: nobody made a note %q", note)
		}
		if w := width(ops); w > maxWidth {
			return undecided("%d operations overlap (at most %d can be judged)", w, maxWidth)
		}
		if porcupine.CheckOperations(m.model(), ops) {
			return interleave.Verdict{}
		}
		return violated("no order explains what %s said: %s", m.Name, describe(ops))
	}}
}

// VisualizeHistory writes Porcupine's page on a history: who did what when, and the longest order that explains a part
// of it. It is one HTML file without references to others.
func VisualizeHistory(w io.Writer, trace *interleave.Trace, note string, m Sequential) error {
	var notes []interleave.Note
	for _, n := range trace.Notes {
		if n.Key == note {
			notes = append(notes, n)
		}
	}
	ops, err := history(notes)
	if err != nil {
		return fmt.Errorf("invariants: %w", err)
	}
	if n := width(ops); n > maxWidth {
		return fmt.Errorf("invariants: %d operations overlap (at most %d can be judged)", n, maxWidth)
	}
	_, info := porcupine.CheckOperationsVerbose(m.model(), ops, 0)
	if err := porcupine.Visualize(m.model(), info, w); err != nil {
		return fmt.Errorf("invariants: visualize: %w", err)
	}
	return nil
}

func (m Sequential) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return m.Init },
		Step: func(state, _, output any) (bool, any) {
			right, next := m.Step(state.(string), output.(Op))
			return right, next
		},
		DescribeOperation: func(_, output any) string { return output.(Op).String() },
		DescribeState:     func(state any) string { return fmt.Sprintf("%q", state) },
	}
}

// history reads notes. The moment of a note is its place among them.
func history(notes []interleave.Note) ([]porcupine.Operation, error) {
	var ops []porcupine.Operation
	open := map[string]int{} // actor → index of its operation that has not returned
	var clients []string
	for at, n := range notes {
		word, rest, _ := strings.Cut(n.Value, " ")
		i, isOpen := open[n.Actor]
		switch {
		case word == "call" && rest != "" && !isOpen:
			if !slices.Contains(clients, n.Actor) {
				clients = append(clients, n.Actor)
			}
			open[n.Actor] = len(ops)
			ops = append(ops, porcupine.Operation{
				ClientId: slices.Index(clients, n.Actor),
				Call:     int64(at),
				Return:   math.MaxInt64,
				Output:   Op{Actor: n.Actor, Call: strings.Fields(rest)},
			})
		case word == "return" && isOpen:
			delete(open, n.Actor)
			if rest == UnknownResult {
				break // it may still happen, at any time
			}
			o := ops[i].Output.(Op)
			o.Result, o.Known = rest, true
			ops[i].Output, ops[i].Return = o, int64(at)
		default:
			return nil, fmt.Errorf("the notes of %s are no history: %q is neither the call of an operation nor the return of an open one", n.Actor, n.Value)
		}
	}
	return ops, nil
}

// width is the largest number of operations that are open at one moment.
func width(ops []porcupine.Operation) int {
	most := 0
	for _, o := range ops {
		n := 0
		for _, other := range ops {
			if other.Call <= o.Call && o.Call <= other.Return {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func describe(ops []porcupine.Operation) string {
	parts := make([]string, len(ops))
	for i, o := range ops {
		parts[i] = o.Output.(Op).String()
	}
	return strings.Join(parts, "; ")
}

// Register is a value that can be read and written: "write v" and "read", which returns what was written last.
func Register(initial string) Sequential {
	return Sequential{Name: "register", Init: initial, Step: func(state string, o Op) (bool, string) {
		switch {
		case o.is("write", 1):
			return true, o.Call[1]
		case o.is("read", 0):
			return !o.Known || o.Result == state, state
		}
		return false, state
	}}
}

// Lock is one that belongs to an actor from "lock", which returns ok, or refused while another has it, to "unlock",
// which returns ok, or refused to anybody who does not have it.
func Lock() Sequential {
	return Sequential{Name: "lock", Step: func(holder string, o Op) (bool, string) {
		next, can := o.Actor, holder == ""
		switch {
		case o.is("unlock", 0):
			next, can = "", holder == o.Actor
		case !o.is("lock", 0):
			return false, holder
		}
		switch {
		case can && (!o.Known || o.Result == "ok"):
			return true, next
		case !can && (!o.Known || o.Result == "refused"):
			return true, holder
		}
		return false, holder
	}}
}

// FIFO is a queue: "put v", and "take", which returns the first that was put and not taken, or nothing.
func FIFO() Sequential {
	const sep = "\n"
	return Sequential{Name: "queue", Step: func(state string, o Op) (bool, string) {
		switch {
		case o.is("put", 1):
			return true, state + o.Call[1] + sep
		case o.is("take", 0):
			first, rest, _ := strings.Cut(state, sep)
			return !o.Known || o.Result == first, rest
		}
		return false, state
	}}
}

// is reports whether the operation has this name and so many arguments.
func (o Op) is(name string, args int) bool { return o.Call[0] == name && len(o.Call) == args+1 }
