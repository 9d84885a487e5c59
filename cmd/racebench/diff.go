package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/internal/report"
)

func newDiff(a *app) *cobra.Command {
	asJSON := false
	o := outputFlags{writes: map[string]func(io.Writer, any) error{
		"markdown": func(w io.Writer, document any) error { return document.(*report.Difference).Markdown(w) },
	}}
	cmd := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "Say what got worse or better between two results files",
		Long: "Compares two files of the same kind: what racebench run has stored, or what run, explore, replay or fuzz printed with\n" +
			"--json. Nothing is run. Worse is a scenario that fails and did not, that can't be judged any more, that violates more\n" +
			"invariants or in a larger part of its orders, or that is not there any more. It ends with 1 if something got worse.",
		Example: "  racebench diff results/reference/run.json results/run.json\n" +
			"  racebench diff old.json new.json --json\n" +
			"  racebench diff old.json new.json --markdown \"$GITHUB_STEP_SUMMARY\"",
		Args: exactly(2, "a results file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd, asJSON); err != nil {
				return err
			}
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
			if err := a.present(&o, asJSON, d, func() { a.printDifference(d) }); err != nil {
				return err
			}
			if len(d.Worse) > 0 {
				return silent(codeUnexpected)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON only")
	o.add(cmd, "markdown")
	return cmd
}

func (a *app) printDifference(d *report.Difference) {
	for _, part := range d.Parts() {
		for _, line := range part.Lines {
			fmt.Fprintf(a.stdout, "%-6s  %s\n", part.Word, plainLine(line))
		}
	}
	fmt.Fprintf(a.stdout, "%d worse, %d better, %d other\n", len(d.Worse), len(d.Better), len(d.Other))
}
