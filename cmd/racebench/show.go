package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave/schedule"
	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

func newShow(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "show A1",
		Short:             "Tell the story of one race: the code path, the forced order, what must come of it",
		Example:           "  racebench show A1\n  racebench show duplicate-acquire --json",
		Args:              exactly(1, "the scenario"),
		ValidArgsFunction: completeScenarios(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := findOne(args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return report.Encode(exact{a.stdout}, catalogue([]*scenarios.Scenario{s}))
			}
			a.show(s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func (a *app) show(s *scenarios.Scenario) {
	fmt.Fprintf(a.stdout, "%s\n\n", a.paint(text.Bold, s.ID+" "+s.Name+": "+s.Title))
	a.paragraph("", s.Story)
	a.paragraph("code path: ", s.Window)
	a.paragraph("limit: ", s.Limit)
	if s.Measurement != nil {
		a.paragraph("measured: ", s.Measurement.Title)
	}
	for _, c := range s.Cases {
		for i := range c.Variants {
			a.showOrder(s, c.Impl, &c.Variants[i])
		}
	}
	if first := s.Cases[0]; len(first.Variants) > 0 {
		fmt.Fprintf(a.stdout, "try: %s\n", replayCommand(s, first.Impl, &first.Variants[0], redisFlags{}, first.Variants[0].Schedule))
	}
}

func (a *app) showOrder(s *scenarios.Scenario, impl string, v *scenarios.Variant) {
	fmt.Fprintf(a.stdout, "%s\n", a.paint(text.Bold, title(impl, v)))
	fmt.Fprintf(a.stdout, "  order:  %s\n", oneLine(v.Schedule))
	if v.Sized != nil {
		fmt.Fprintf(a.stdout, "  actors: %d; explore and replay take --actors %d to %d\n", v.Sizes.Usual, v.Sizes.Least, v.Sizes.Most)
	}
	fmt.Fprintf(a.stdout, "  shows:  %s\n", v.Shows)
	if len(v.Counts) > 0 {
		fmt.Fprintf(a.stdout, "  counts: %s\n", v.Counts)
	}
	if v.Measured != nil {
		fmt.Fprintf(a.stdout, "  measured: %s\n", measured(s.Measurement, v))
	}
	for _, b := range v.Breaks {
		fmt.Fprintf(a.stdout, "  breaks: %q after step %d\n", b.Invariant, b.Step)
	}
	if len(v.Breaks) == 0 {
		fmt.Fprintln(a.stdout, "  breaks: nothing")
	}
	fmt.Fprintln(a.stdout)
}

// paragraph prints wrapped text and an empty line; nothing for no text.
func (a *app) paragraph(label, s string) {
	const wide = 100 // a longer line is hard to read
	if s = strings.Join(strings.Fields(s), " "); s != "" {
		fmt.Fprintf(a.stdout, "%s\n\n", trimLines(text.WrapSoft(label+s, min(a.width(), wide))))
	}
}

// title names a case and its variant: "naive, crash after HSET".
func title(impl string, v *scenarios.Variant) string {
	if v.Name == "" {
		return impl
	}
	return impl + ", " + v.Name
}

// replayCommand is what to type to see an order again.
func replayCommand(s *scenarios.Scenario, impl string, v *scenarios.Variant, r redisFlags, order string) string {
	if schedule.IsCompact(order) {
		return replayToken(r, order)
	}
	cmd := "racebench replay " + s.ID + " --impl " + impl
	if c, _ := s.Case(impl); v.Name != "" && len(c.Variants) > 1 {
		cmd += " --variant " + shellQuote(v.Name)
	}
	if v.Actors != 0 {
		cmd += fmt.Sprintf(" --actors %d", v.Actors)
	}
	return cmd + r.typed() + " " + shellQuote(oneLine(order))
}

// oneLine is a schedule of several lines on one. Comments end with their line, so a schedule that has some stays as it is.
func oneLine(schedule string) string {
	if strings.Contains(schedule, "#") || strings.Contains(schedule, `"`) {
		return schedule
	}
	return strings.Join(strings.Fields(schedule), " ")
}

// shellQuote quotes s for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord quotes a word if a shell would not take it as it is.
func shellWord(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@", r)
	}) {
		return shellQuote(s)
	}
	return s
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}
