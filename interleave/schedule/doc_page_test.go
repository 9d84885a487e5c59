package schedule_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/schedule"
)

// page is docs/schedule.md: every form of the grammar's table.
func page() string {
	var b strings.Builder
	b.WriteString("<!-- made from the tables of interleave/schedule: go test ./interleave/schedule -run Page -update -->\n" +
		"# How an order is written\n\n" +
		"A schedule is a list of tokens with spaces between them; `#` starts a comment that goes to the end of the line. What it leaves open happens in a fair\n" +
		"order. `A` stands for the name of an actor. Names of commands are those on the wire, in any case: go-redis's `SetNX` with a TTL is a `SET`.\n\n" +
		"`racebench help schedule` prints the same, `racebench replay A1 <TAB>` offers what can come next, and an error points at the place:\n\n" +
		"```console\n$ go run ./cmd/racebench replay A1 'A.GET B..GET!crahs'\nracebench: bad schedule\n    A.GET B..GET!crahs\n                ^ B..GET takes no fault\n    allowed: a space, (key)\n…\n```\n\n")
	table := func(title string, rules []schedule.Rule) {
		fmt.Fprintf(&b, "## %s\n\n| form | example | meaning |\n|---|---|---|\n", title)
		for _, r := range rules {
			cell := strings.NewReplacer("|", `\|`)
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", cell.Replace(r.Form), cell.Replace(r.Example), cell.Replace(r.Meaning))
		}
		b.WriteString("\n")
	}
	table("Schedules", schedule.Grammar)
	b.WriteString("A script is one step, however it comes: `A.EVAL` matches EVALSHA, its NOSCRIPT answer and the EVAL that follows. A transaction is one step, at its `EXEC`.\n\n")
	table("Constraints", schedule.ConstraintGrammar)
	b.WriteString("Constraints (`interleave.Before`, `--before`) order what a schedule leaves open, or an exploration.\n\n" +
		"## Tokens\n\nA token is a whole run in one line; it begins with a digit, as no schedule does. See [replay.md](replay.md).\n")
	return b.String()
}

// docs/schedule.md is what the parser's tables say. With -update it is written anew.
func TestPage(t *testing.T) {
	const file = "../../docs/schedule.md"
	if *update {
		if err := os.WriteFile(file, []byte(page()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page() {
		t.Error("docs/schedule.md is not what the tables say: go test ./interleave/schedule -run Page -update")
	}
}
