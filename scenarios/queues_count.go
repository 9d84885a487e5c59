package scenarios

import (
	"maps"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave"
)

// The names of the numbers that the scenarios of the queue count.
const (
	inReady     = "in ready"       // entries on the server at the end, so for the others
	inActive    = "in active"      //
	inDone      = "in done"        //
	inDead      = "in dead"        //
	startTimes  = "start times"    // of naive, that are left
	requeues    = "put into ready" // entries, after the first step
	begun       = "begun"          // handlers that were called
	completions = "completions"    // workers that say that they have recorded a task as done
	tooLate     = "too late"       // attempts that were refused
	retries     = "retries"        // that the rows have counted, all together
	rowsAre     = "rows "          // … pending, processing, done, dead or failed: rows of that status at the end
)

// countQueue counts all of them, and leaves out those of which there are none.
func countQueue(res *interleave.Result) Counts {
	l := leftBy(res)
	counts := l.taskRows()
	counts.Add(Counts{
		inReady: l.entries("ready"), inActive: l.entries("active"), inDone: l.entries("done"), inDead: l.entries("dead"),
		startTimes: l.entries("start_at"), requeues: l.requeued(),
		begun: l.noted(noteBegun), completions: l.noted(noteEnded), tooLate: l.noted(noteLate),
	})
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return counts
}

// taskRows counts the rows by their status, and what they have counted.
func (l left) taskRows() Counts {
	counts := Counts{}
	table := l.keys["table:tasks"]
	if table == nil {
		return counts
	}
	for _, row := range table.Items { // (1, 'done', 0, …): id, status, retry_count
		fields := strings.Split(strings.Trim(row, "()"), ", ")
		const status, retried = 1, 2
		counts[rowsAre+strings.Trim(fields[status], "'")]++
		counts[retries] += number(fields[retried])
	}
	return counts
}

// place is the place in a queue that a key is: "ready" for queue:{name}:ready.
func place(key string) string {
	i := strings.LastIndex(key, "}:")
	if !strings.HasPrefix(key, "queue:{") || i < 0 {
		return ""
	}
	return key[i+len("}:"):]
}

// length is the number of entries of a list, a sorted set or a hash.
func length(e *interleave.Entry) int {
	const pair = 2 // member and score, field and value
	switch {
	case e == nil:
		return 0
	case slices.Contains([]string{"zset", "hash"}, e.Type):
		return len(e.Items) / pair
	}
	return len(e.Items)
}

func (l left) entries(name string) int {
	n := 0
	for _, k := range l.After {
		if place(k.Key) == name {
			n += length(k.Value)
		}
	}
	return n
}

func (l left) requeued() int {
	n := 0
	for _, step := range l.Steps {
		for _, c := range step.Changes {
			if place(c.Key) == "ready" {
				n += max(0, length(c.After)-length(c.Before))
			}
		}
	}
	return n
}
