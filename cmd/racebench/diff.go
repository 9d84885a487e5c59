package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/internal/report"
)

func newDiff(a *app) *cobra.Command {
	asJSON := false
	cmd := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "Say what got worse or better between two results files",
		Long: "Compares two files of the same kind: what racebench run has stored, or what run, explore, replay or fuzz printed with\n" +
			"--json. Nothing is run. Worse is a scenario that fails and did not, that can't be judged any more, that violates more\n" +
			"invariants or in a larger part of its orders, or that is not there any more. It ends with 1 if something got worse.",
		Example: "  racebench diff results/reference/run.json results/run.json\n" +
			"  racebench diff old.json new.json --json",
		Args: exactly(2, "a results file"),
		RunE: func(_ *cobra.Command, args []string) error {
			var docs [2]any
			for i, path := range args {
				doc, err := report.LoadDocument(path)
				if err != nil {
					return usage("racebench run makes results/"+report.RunFile, "can't read %s: %v", path, err)
				}
				docs[i] = doc
			}
			d, err := report.Diff(docs[0], docs[1])
			if err != nil {
				return usage("both come from the same command", "can't compare %s and %s: %v", args[0], args[1], err)
			}
			worse := error(nil)
			if len(d.Worse) > 0 {
				worse = silent(codeUnexpected)
			}
			if asJSON {
				return cmp.Or(report.Encode(exact{a.stdout}, d), worse)
			}
			for _, part := range []struct {
				word  string
				lines []string
			}{{"worse", d.Worse}, {"better", d.Better}, {"other", d.Other}} {
				for _, line := range part.lines {
					fmt.Fprintf(a.stdout, "%-6s  %s\n", part.word, plainLine(line))
				}
			}
			fmt.Fprintf(a.stdout, "%d worse, %d better, %d other\n", len(d.Worse), len(d.Better), len(d.Other))
			return worse
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON only")
	return cmd
}
