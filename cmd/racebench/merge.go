package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/internal/report"
)

func newMerge(a *app) *cobra.Command {
	var json bool
	var confirm, image string
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Put the shards of an exploration together",
		Long: "Puts together what racebench explore --shard has written on several machines, and prints what the whole exploration\n" +
			"would have printed, byte for byte but for its rate. The files may come in any order. Nothing is explored again but the\n" +
			"orders that are shown.",
		Example: "  racebench explore X1 --shard 1/2 --out a.json\n" +
			"  racebench explore X1 --shard 2/2 --out b.json\n" +
			"  racebench merge a.json b.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("racebench merge a.json b.json", "merge needs the files of the shards")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			docs, err := loadShards(args)
			if err != nil {
				return err
			}
			words := []string{docs[0].Scenario}
			for _, name := range slices.Sorted(maps.Keys(docs[0].Settings)) {
				words = append(words, "--"+name+"="+docs[0].Settings[name])
			}
			if json {
				words = append(words, "--json")
			}
			words = append(words, a.talk()...)
			if confirm != "" {
				words = append(words, "--confirm="+confirm)
			}
			if image != "" {
				words = append(words, "--confirm-image="+image)
			}
			again := newExploreOf(a, docs)
			again.SilenceErrors, again.SilenceUsage = true, true
			again.SetFlagErrorFunc(flagError)
			again.SetArgs(words)
			return again.ExecuteContext(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&json, "json", false, "print JSON only")
	addConfirm(cmd, &confirm, &image)
	a.addTalk(cmd)
	return cmd
}

// loadShards reads shards, which must be of one exploration.
func loadShards(files []string) ([]report.Parts, error) {
	var docs []report.Parts
	for i, file := range files {
		doc, err := loadParts(file)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			first := docs[0]
			if doc.Scenario != first.Scenario {
				return nil, usage("merge shards of one exploration", "%s is of %s, %s of %s", files[0], first.Scenario, file, doc.Scenario)
			}
			if name, was, is, differ := differing(first.Settings, doc.Settings); differ {
				return nil, usage("merge shards of one exploration", "%s was made with --%s %s, %s with %s", files[0], name, was, file, is)
			}
			if doc.Backend != first.Backend {
				return nil, usage("merge shards of one exploration", "%s was made on %s %s, %s on %s %s", files[0], first.Backend.Name, first.Backend.Version, file, doc.Backend.Name, doc.Backend.Version)
			}
			for k, other := range docs {
				if other.Shard == doc.Shard {
					return nil, usage("merge each once", "%s and %s are both %s", files[k], file, described(doc.Shard))
				}
			}
		}
		docs = append(docs, *doc)
	}
	return docs, nil
}
