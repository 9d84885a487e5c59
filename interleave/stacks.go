package interleave

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/pprof"
	"sort"
	"strings"
)

var labelLine = regexp.MustCompile(`^# labels: \{(.*)\}`)
var label = regexp.MustCompile(`"([^"]*)":"([^"]*)"`)

// stacksOf returns the stacks of a world's goroutines, by actor.
func stacksOf(world string) string {
	return stacksWhere(world, func(string) bool { return true })
}

// stacksWhere reads the goroutine profile, which carries the labels that name world and actor.
func stacksWhere(world string, want func(actor string) bool) string {
	var buf bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&buf, 1); err != nil {
		return err.Error()
	}
	byActor := map[string][]string{}
	for _, block := range strings.Split(buf.String(), "\n\n") {
		labels := map[string]string{}
		var frames []string
		for _, line := range strings.Split(block, "\n") {
			if m := labelLine.FindStringSubmatch(line); m != nil {
				for _, kv := range label.FindAllStringSubmatch(m[1], -1) {
					labels[kv[1]] = kv[2]
				}
			} else if strings.HasPrefix(line, "#\t") {
				// address, function+offset, file:line
				if f := strings.Split(line, "\t"); len(f) >= 4 {
					fn, _, _ := strings.Cut(f[2], "+0x")
					frames = append(frames, "    "+fn+"  "+strings.TrimSpace(f[len(f)-1]))
				}
			}
		}
		actor := labels[actorLabel]
		if labels[worldLabel] != world || !want(actor) {
			continue
		}
		count, _, _ := strings.Cut(strings.TrimSpace(block), " ")
		byActor[actor] = append(byActor[actor], fmt.Sprintf("  %s goroutine(s):\n%s", count, strings.Join(frames, "\n")))
	}
	actors := make([]string, 0, len(byActor))
	for a := range byActor { // any order: sorted below
		actors = append(actors, a)
	}
	sort.Strings(actors)
	var out []string
	for _, a := range actors {
		sort.Strings(byActor[a])
		who := "actor " + a
		if a == "" {
			who = "the world function and the scheduler"
		}
		out = append(out, who+"\n"+strings.Join(byActor[a], "\n"))
	}
	return strings.Join(out, "\n")
}
