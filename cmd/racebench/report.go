package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/internal/report"
)

func newReport(a *app) *cobra.Command {
	o := outputFlags{dry: true}
	cmd := &cobra.Command{
		Use:   "report [results/run.json]",
		Short: "Write a results file in a form for another program",
		Long: "Reads what racebench run has stored, or what run, explore, replay or fuzz printed with --json, and writes it as the same\n" +
			"flags of those commands do. Nothing is run. It ends with 0 whatever the results are.",
		Example: "  racebench report --junit junit.xml\n" +
			"  racebench report --svg race.svg\n" +
			"  racebench report explored.json --junit -",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			path := filepath.Join("results", report.RunFile)
			switch {
			case len(args) > 1:
				return usage("usage: "+cmd.UseLine(), "%q is one argument too many", args[1])
			case len(args) == 1:
				path = args[0]
			}
			if err := o.check(cmd, false); err != nil {
				return err
			}
			if len(o.asked()) == 0 {
				return usage("racebench report --junit junit.xml", "nothing says in which form")
			}
			doc, err := report.LoadDocument(path)
			if err != nil {
				return usage("racebench run makes results/"+report.RunFile, "can't read %s: %v", path, err)
			}
			if c, ok := doc.(*report.TimeToBug); ok {
				return a.presentComparison(o, false, *c, func() {})
			}
			return a.present(&o, false, doc, func() {})
		},
	}
	o.add(cmd)
	return cmd
}
