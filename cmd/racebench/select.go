package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/database"
	sqlcontainer "github.com/racebench/racebench/interleave/database/container"
	_ "github.com/racebench/racebench/interleave/database/mariadb" // --sql process and mysql://
	_ "github.com/racebench/racebench/interleave/database/sqlite"  // --sql sqlite
	"github.com/racebench/racebench/scenarios"
)

// redisFlags say which throwaway Redis, and which SQL database, is used.
type redisFlags struct{ spec, image, sql, sqlImage string }

func (r *redisFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.spec, "redis", "embedded", "throwaway Redis: embedded, process (redis-server from PATH), container, or the redis:// URL of an empty server")
	cmd.Flags().StringVar(&r.image, "redis-image", "", "image for --redis container (default redis:7-alpine)")
	cmd.Flags().StringVar(&r.sql, "sql", "sqlite", "throwaway SQL database of worlds that have one: sqlite, process (mariadbd from PATH), container, or the mysql:// URL of a server, for a schema of our own")
	cmd.Flags().StringVar(&r.sqlImage, "sql-image", "", "image for --sql container (default "+sqlcontainer.DefaultImage+")")
	must(cmd.RegisterFlagCompletionFunc("sql-image", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("sql", cobra.FixedCompletions(databaseWords(), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("redis", cobra.FixedCompletions(backendWords(), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("redis-image", cobra.NoFileCompletions))
}

// open starts the throwaway Redis.
func (r *redisFlags) open(options ...interleave.Option) (*interleave.Runner, error) {
	if r.image != "" && r.spec != "container" {
		return nil, usage("--redis container --redis-image "+r.image, "--redis-image is for --redis container, not for %s", r.spec)
	}
	if r.sql != "" && !strings.HasPrefix(r.sql, "mysql://") && !slices.Contains(databaseWords(), r.sql) {
		return nil, usage(suggest(r.sql, databaseWords(), "it is one of "+strings.Join(databaseWords(), ", ")+", mysql://…"), "unknown --sql %q", r.sql)
	}
	if r.sqlImage != "" && r.sql != sqlcontainer.Name {
		return nil, usage("--sql container --sql-image "+r.sqlImage, "--sql-image is for --sql container, not for %s", r.sql)
	}
	options = append(options, interleave.Database(r.sql), interleave.DatabaseConfig(database.Config{Image: r.sqlImage}), interleave.Redis(r.spec), interleave.Backend(backend.Config{Image: r.image}))
	runner, err := interleave.Open(options...)
	if errors.Is(err, backend.ErrUnknown) {
		words := strings.Join(backendWords(), ", ") + ", redis://…"
		return nil, usage(suggest(r.spec, backendWords(), "it is one of "+words), "unknown --redis %q", r.spec)
	}
	return runner, err
}

// typed is how the flags were given, for a command that does the same again; nothing for the default, and for a URL, which may
// hold a password.
func (r redisFlags) typed() string {
	if r.sql != "" && r.sql != "sqlite" && !strings.Contains(r.sql, "://") {
		words := " --sql " + r.sql
		if r.sqlImage != "" {
			words += " --sql-image " + shellQuote(r.sqlImage)
		}
		r.sql = ""
		return r.typed() + words
	}
	if r.spec == "" || r.spec == "embedded" || strings.Contains(r.spec, "://") {
		return ""
	}
	if r.image != "" {
		return " --redis " + r.spec + " --redis-image " + shellQuote(r.image)
	}
	return " --redis " + r.spec
}

// backendWords are the values of --redis, URLs left out.
func backendWords() []string {
	return slices.DeleteFunc(backend.Names(), func(n string) bool { return strings.Contains(n, "://") })
}

// databaseWords are the values of --sql, URLs left out.
func databaseWords() []string {
	return slices.DeleteFunc(database.Names(), func(n string) bool { return strings.Contains(n, "://") })
}

// find returns the scenarios that words name.
func find(words ...string) ([]*scenarios.Scenario, error) {
	found, err := scenarios.Find(words...)
	var unknown *scenarios.UnknownError
	if errors.As(err, &unknown) {
		var known []string
		for _, s := range scenarios.All() {
			known = append(known, s.ID, s.Name)
		}
		return nil, usage(suggest(unknown.Word, known, "racebench list shows them all"), "%v", err)
	}
	return found, err
}

// findOne returns the scenario that a word names.
func findOne(word string) (*scenarios.Scenario, error) {
	found, err := find(word)
	if err == nil && len(found) != 1 {
		return nil, usage("name one of them: racebench list shows them all", "%q names %d scenarios", word, len(found))
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// impls are the implementations that the catalogue knows, in the order in which it names them.
func impls() []string {
	var out []string
	for _, s := range scenarios.All() {
		for _, c := range s.Cases {
			if !slices.Contains(out, c.Impl) {
				out = append(out, c.Impl)
			}
		}
	}
	return out
}

// checkImpls refuses an implementation that the catalogue does not know. The word all stands for every one.
func checkImpls(words []string) ([]string, error) {
	known := impls()
	if slices.Equal(words, []string{"all"}) {
		return known, nil
	}
	var out []string
	for _, w := range words {
		if !slices.Contains(known, w) {
			return nil, usage(suggest(w, append(known, "all"), "it is one of "+strings.Join(known, ", ")), "unknown implementation %q", w)
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		return nil, usage("it is one of "+strings.Join(known, ", "), "--impl names no implementation")
	}
	return out, nil
}

// variant finds a case's variant by name. No name is enough where there is one variant only.
func variant(s *scenarios.Scenario, impl, name string) (*scenarios.Variant, error) {
	c, ok := s.Case(impl)
	if !ok {
		var have []string
		for _, c := range s.Cases {
			have = append(have, c.Impl)
		}
		return nil, usage(suggest(impl, have, "it has "+strings.Join(have, ", ")), "%s says nothing about the implementation %q", s.ID, impl)
	}
	var names []string
	for i := range c.Variants {
		if c.Variants[i].Name == name {
			return &c.Variants[i], nil
		}
		names = append(names, c.Variants[i].Name)
	}
	if name == "" {
		// The variants of a case differ in their schedules; which world a schedule of the user's runs in is the first's.
		return &c.Variants[0], nil
	}
	if len(names) == 1 {
		return nil, usage("leave --variant out", "%s on %s has one variant only", s.ID, impl)
	}
	return nil, usage(suggest(name, names, fmt.Sprintf("it has %q", names)), "%s on %s has no variant %q", s.ID, impl, name)
}

// completeScenarios offers ids and names.
func completeScenarios(most int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var out []cobra.Completion
		if most < 0 || len(args) < most {
			for _, s := range scenarios.All() {
				if !slices.Contains(args, s.ID) && !slices.Contains(args, s.Name) {
					out = append(out, cobra.CompletionWithDesc(s.ID, s.Title), cobra.CompletionWithDesc(s.Name, s.Title))
				}
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeImpls(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	// A list with commas is completed at its last word.
	done := typed[:strings.LastIndexByte(typed, ',')+1]
	var out []cobra.Completion
	for _, i := range impls() {
		out = append(out, done+i)
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// must is for errors that only a mistake in this program can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// chosen is the one variant that a scenario, an implementation and the name of a variant say.
func chosen(word, impl, name string) (*scenarios.Scenario, *scenarios.Variant, error) {
	s, err := findOne(word)
	if err != nil {
		return nil, nil, err
	}
	if _, err := checkImpls([]string{impl}); err != nil {
		return nil, nil, err
	}
	v, err := variant(s, impl, name)
	return s, v, err
}
