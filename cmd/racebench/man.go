package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan is for whoever packages racebench, and so not in the list of commands.
func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "man folder",
		Short: "Write the manual pages",
		Long: "Writes a manual page for racebench and for each of its commands to a folder that exists. They bear today's date, or the\n" +
			"one of SOURCE_DATE_EPOCH.",
		Example: "  mkdir -p man1 && racebench man man1 && man -l man1/racebench-run.1",
		Args:    exactly(1, "the folder"),
		Hidden:  true,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := args[0]
			if info, err := os.Stat(dir); err != nil {
				return usage("mkdir -p "+shellWord(dir), "%v", err)
			} else if !info.IsDir() {
				return usage("name a folder", "%s is a file", dir)
			}
			header := &doc.GenManHeader{Title: "RACEBENCH", Section: "1", Source: "racebench " + toolVersion(), Manual: "racebench"}
			if err := doc.GenManTree(cmd.Root(), header, dir); err != nil {
				return err
			}
			pages, err := os.ReadDir(dir)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "%d pages in %s\n", len(pages), dir)
			return nil
		},
	}
}
