package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/docs/schema"
)

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "Print the JSON Schema of a kind of document",
		Long: "Prints the JSON Schema (draft 2020-12) that every document of a kind keeps to; without a kind, the kinds there are. The kind\n" +
			"of a document is in its field kind. A reader must accept fields that the schema does not name: later versions add some.",
		Example: "  racebench schema run > run.schema.json\n" +
			"  racebench explore A1 --json > a1.json; racebench schema exploration > exploration.schema.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("usage: "+cmd.UseLine(), "%q is one argument too many", args[1])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return schema.Kinds(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, kind := range schema.Kinds() {
					fmt.Fprintln(a.stdout, kind)
				}
				return nil
			}
			text, err := schema.Of(args[0])
			if err != nil {
				return usage(suggest(args[0], schema.Kinds(), "it is one of "+join(schema.Kinds())), "no schema of %q", args[0])
			}
			_, err = exact{a.stdout}.Write(text)
			return err
		},
	}
}
