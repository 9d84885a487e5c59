package page

import (
	"fmt"
	"strings"

	"github.com/racebench/racebench/interleave/schedule"
)

// snippet is a test file that keeps an order; empty where there is no order to keep.
func (b *builder) snippet(e *entry) string {
	if e.seen == nil || e.seen.Order == "" || e.seen.Error != "" || e.replay == nil {
		return ""
	}
	world, imports := "world", ""
	if c, err := schedule.ParseCompact(e.Token); err == nil && b.o.World != nil {
		var pkg string
		world, pkg = b.o.World(c.Name)
		imports = fmt.Sprintf("\t%q\n", pkg)
	}
	call := fmt.Sprintf("interleave.Force(t, %q, %s)", e.seen.Order, world)
	if e.Classes != "" {
		invariant, _, _ := strings.Cut(e.Classes, "|")
		call = fmt.Sprintf("interleave.Violates(t, %q, %q, %s)", e.seen.Order, invariant, world)
	}
	name := strings.NewReplacer("-", "", ".", "", " ", "").Replace(e.ID)
	return "package races\n\nimport (\n\t\"testing\"\n\n\t\"github.com/racebench/racebench/interleave\"\n" + imports +
		")\n\nfunc Test" + name + "(t *testing.T) {\n\t" + call + "\n}\n"
}
