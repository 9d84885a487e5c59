package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/interleave/backend"
	"github.com/racebench/racebench/interleave/backend/process"
	"github.com/racebench/racebench/interleave/backend/redisurl"
	"github.com/racebench/racebench/interleave/container"
	"github.com/racebench/racebench/interleave/database"
	sqlcontainer "github.com/racebench/racebench/interleave/database/container"
	"github.com/racebench/racebench/internal/report"
)

// probe finds out whether a backend can be used here.
type probe func(context.Context, backend.Config) (version, how string, err error)

// probes are tried in this order.
var probes = []struct {
	name string
	probe
}{
	{"embedded", probeEmbedded},
	{process.Name, process.Probe},
	{container.Name, container.Probe},
	{"sqlite", probeSQL("sqlite", "SQL, built in", "")},
	{"mariadb", probeSQL("process", "SQL, --sql process", "")},
}

func probeEmbedded(_ context.Context, cfg backend.Config) (version, how string, err error) {
	server, err := backend.Open("embedded", cfg)
	if err != nil {
		return "", "", err
	}
	return server.Version(), "built in, the clock of the world", server.Close()
}

// probeSQL starts a SQL database and ends it.
func probeSQL(spec, where, image string) probe {
	return func(context.Context, backend.Config) (version, how string, err error) {
		server, err := database.Open(spec, database.Config{Image: image})
		if err != nil {
			return "", "", err
		}
		return server.Version(), where, server.Close()
	}
}

func newDoctor(a *app) *cobra.Command {
	var (
		asJSON        bool
		url, sqlImage string
		cfg           backend.Config
	)
	cmd := &cobra.Command{
		Use:               "doctor",
		Short:             "Say which throwaway Redis and SQL database can be used here, and how to get the others",
		Example:           "  racebench doctor\n  racebench doctor --url redis://127.0.0.1:6379/9",
		Long:              "Tries each kind of throwaway Redis. Ends with 0 when at least the one that is built in works, else with 3.",
		Args:              exactly(0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if url != "" && !strings.Contains(url, "://") {
				return usage("--url redis://127.0.0.1:6379/9", "--url %q is no URL", url)
			}
			return a.doctor(cmd.Context(), asJSON, url, sqlImage, cfg)
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "try the server of this redis:// URL too; nothing in it is changed")
	cmd.Flags().StringVar(&cfg.Image, "redis-image", "", "image to try for container (default "+container.DefaultImage+")")
	cmd.Flags().StringVar(&sqlImage, "sql-image", "", "image to try for the SQL database in a container (default "+sqlcontainer.DefaultImage+")")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON only")
	return cmd
}

func (a *app) doctor(ctx context.Context, asJSON bool, url, sqlImage string, cfg backend.Config) error {
	checks := []report.Check{}
	for _, p := range probes {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		checks = append(checks, examine(ctx, p.name, p.probe, cfg))
	}
	checks = append(checks, examine(ctx, "mysql", probeSQL(sqlcontainer.Name, "SQL, --sql container", sqlImage), cfg))
	if url != "" {
		checks = append(checks, examine(ctx, redisurl.Name, func(ctx context.Context, cfg backend.Config) (string, string, error) {
			return redisurl.Probe(ctx, url, cfg)
		}, cfg))
	}
	if asJSON {
		err := report.Encode(exact{a.stdout}, report.Doctor{Head: report.Head{Schema: report.Schema, Kind: report.KindDoctor}, Backends: checks})
		if err != nil {
			return err
		}
	} else {
		a.printChecks(checks)
	}
	if !checks[0].Usable {
		return &failure{code: codeBackend, text: "the built-in Redis does not work: " + checks[0].Problem}
	}
	return nil
}

func examine(ctx context.Context, name string, try probe, cfg backend.Config) report.Check {
	c := report.Check{Name: name}
	var err error
	if c.Version, c.How, err = try(ctx, cfg); err == nil {
		c.Usable = true
		return c
	}
	c.Problem = err.Error()
	var gone *backend.UnavailableError
	if errors.As(err, &gone) {
		c.Problem, c.Hint = gone.Err.Error(), gone.Hint
	}
	return c
}

func (a *app) printChecks(checks []report.Check) {
	for _, c := range checks {
		if c.Usable {
			fmt.Fprintf(a.stdout, "%s  %-9s  %s", a.paint(green, "yes"), c.Name, c.Version)
			if c.How != "" {
				fmt.Fprintf(a.stdout, "  (%s)", c.How)
			}
			fmt.Fprintln(a.stdout)
			continue
		}
		fmt.Fprintf(a.stdout, "%s   %-9s  %s\n", a.paint(red, "no"), c.Name, c.Problem)
		if c.Hint != "" {
			fmt.Fprintf(a.stdout, "     to get it: %s\n", c.Hint)
		}
	}
	fmt.Fprintln(a.stdout, "     redis://…  any server that you name, if its database is empty: only keys that the run has made are removed")
}
