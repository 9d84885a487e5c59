package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/racebench/racebench/internal/report"
	"github.com/racebench/racebench/scenarios"
)

type runFlags struct {
	redis      redisFlags
	impl       []string
	repeat     int
	out        string
	json       bool
	outputs    outputFlags
	orders     int
	ordersSaid bool // not left to the default
}

const (
	publishedRepeats = 100       // of a race whose figures have been published
	maxRepeats       = 1_000_000 // a bound, as everything has one
)

func newRun(a *app) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [A1 duplicate-acquire A* …]",
		Short: "Run races and compare with what the catalogue expects",
		Long: "Runs the races that are named by id, name or pattern, or all. Prints the figures of the published run when A1 to\n" +
			"A4 ran on naive and lua; then what each implementation shows; then the order of every violation with one column\n" +
			"for each actor, the pair of steps that decides marked, and the keys at the end. Everything is also stored in\n" +
			report.RunFile + ", and what differs from run to run (time, version, machine) in " + report.MetaFile + ".",
		Example: "  racebench run\n" +
			"  racebench run A1 late-success --impl lua\n" +
			"  racebench run 'A*' --redis process --out results/process\n" +
			"  racebench run --json | jq '.results[] | select(.as_expected | not)'",
		ValidArgsFunction: completeScenarios(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("repeat") && (f.repeat < 1 || f.repeat > maxRepeats) {
				return usage(allowed(cmd.Flag("repeat")), "--repeat %d is out of range", f.repeat)
			}
			if f.orders < 0 || f.orders > maxExecutions {
				return usage(allowed(cmd.Flag("orders")), "--orders %d is out of range", f.orders)
			}
			f.ordersSaid = cmd.Flags().Changed("orders")
			if err := f.outputs.check(cmd, f.json); err != nil {
				return err
			}
			return a.run(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.impl, "impl", []string{"naive", "lua"}, "implementations, with commas between them, or all")
	f.redis.add(cmd)
	flags.IntVar(&f.repeat, "repeat", 0, "how often each race runs, every time on a target of its own (default 100 for A1 to A4, whose figures are published, and 1 for the others)")
	flags.IntVar(&f.orders, "orders", exploredOrders, "worlds to explore each race with, for the columns of orders; 0 for none; unless this is said, races with long worlds get fewer")
	flags.StringVar(&f.out, "out", "results", "folder for "+report.RunFile+" and "+report.MetaFile)
	flags.BoolVar(&f.json, "json", false, "print only JSON: what "+report.RunFile+" gets")
	f.outputs.add(cmd)
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print only the published figures and what is not as expected; no progress")
	a.addTalk(cmd)
	must(cmd.RegisterFlagCompletionFunc("impl", completeImpls))
	must(cmd.RegisterFlagCompletionFunc("repeat", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("orders", cobra.NoFileCompletions))
	must(cmd.MarkFlagDirname("out"))
	return cmd
}

// errNotAsExpected is what ends a run with code 1.
var errNotAsExpected = errors.New("not as the catalogue expects")

func (a *app) run(ctx context.Context, f runFlags, words []string) error {
	started := time.Now()
	chosen, err := find(words...)
	if err != nil {
		return err
	}
	if f.impl, err = checkImpls(f.impl); err != nil {
		return err
	}
	plan := newPlan(chosen, f)
	if len(plan) == 0 {
		return usage("racebench list shows which implementations each race has", "no chosen race says anything about %s", join(f.impl))
	}
	if f.out == "" {
		return usage("--out results", "--out is empty")
	}
	undo, err := report.Prepare(f.out)
	if err != nil {
		return cantWrite(f.out, err)
	}
	doc := &report.Run{Head: report.Head{Schema: report.Schema, Kind: report.KindRun}}
	if err := a.measure(ctx, f, plan, doc); err != nil {
		undo()
		return err
	}
	doc.Published = published(plan)
	for _, p := range plan {
		doc.Results = append(doc.Results, p.result)
	}
	if err := report.Write(f.out, doc, a.meta(plan, started)); err != nil {
		return cantWrite(f.out, err)
	}
	if err := a.present(&f.outputs, f.json, doc, func() { a.printRun(f, plan, doc) }); err != nil {
		return err
	}
	return verdict(f, plan)
}

// measure runs what is planned on a throwaway Redis of its own.
func (a *app) measure(ctx context.Context, f runFlags, plan []*planned, doc *report.Run) (err error) {
	runner, err := f.redis.open()
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, runner.Close()) }()
	m := &measurer{runner: runner, progress: a.newProgress(f, plan), pictures: f.outputs.wants("html"), note: a.note}
	defer m.progress.finish()
	doc.Backend.Name, doc.Backend.Version = runner.Backend()
	if err = m.measure(ctx, plan); err == nil {
		doc.Orders, err = m.orders(ctx, f, plan)
	}
	if err == nil {
		doc.Measurements, err = m.measurements(ctx, plan)
	}
	doc.Database.Name, doc.Database.Version = runner.Database()
	return err
}

// verdict is the failure of a run that is not as the catalogue expects.
func verdict(f runFlags, plan []*planned) error {
	wrong, diverged := 0, error(nil)
	for _, p := range plan {
		if !p.result.AsExpected {
			wrong++
		}
		if p.diverged != nil && diverged == nil {
			diverged = fmt.Errorf("%s on %s: %w", p.scenario.ID, title(p.impl, p.variant), p.diverged)
		}
	}
	if diverged != nil {
		return diverged
	}
	if wrong == 0 {
		return nil
	}
	first := ""
	for _, p := range plan {
		if !p.result.AsExpected {
			first = replayCommand(p.scenario, p.impl, p.variant, f.redis, p.variant.Schedule)
			break
		}
	}
	return &failure{code: codeUnexpected, text: fmt.Sprintf("%d of %d %v", wrong, len(plan), errNotAsExpected), hint: first}
}

func cantWrite(dir string, err error) error {
	return usage("--out names another folder", "can't write results to %s: %v", filepath.Clean(dir), err)
}

func (a *app) meta(plan []*planned, started time.Time) *report.Meta {
	m := &report.Meta{
		Head:    report.Head{Schema: report.Schema, Kind: report.KindMeta},
		Tool:    toolVersion(),
		Go:      runtime.Version(),
		System:  runtime.GOOS + "/" + runtime.GOARCH,
		CPUs:    runtime.NumCPU(),
		Command: withoutSecrets(a.args),
		Started: started.UTC().Format(time.RFC3339),
		Seconds: time.Since(started).Seconds(),
	}
	for _, p := range plan {
		m.Times = append(m.Times, report.Time{
			Scenario: p.scenario.ID, Impl: p.impl, Variant: p.variant.Name, Worlds: p.result.Repeats, Seconds: p.took.Seconds(),
		})
	}
	return m
}

// withoutSecrets leaves user and password out of URLs.
func withoutSecrets(args []string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		scheme, rest, _ := strings.Cut(arg, "://")
		if at := strings.LastIndexByte(rest, '@'); at >= 0 {
			arg = scheme + "://…" + rest[at:]
		}
		out[i] = arg
	}
	return out
}

// planned is one forced order to run, and then what came of it.
type planned struct {
	scenario *scenarios.Scenario
	impl     string
	variant  *scenarios.Variant
	repeats  int
	outcome
}

// newPlan lists what is to run, in the order of the catalogue.
func newPlan(chosen []*scenarios.Scenario, f runFlags) []*planned {
	var plan []*planned
	for _, s := range chosen {
		repeats := f.repeat
		if repeats == 0 {
			repeats = 1
			if isPublished(s) {
				repeats = publishedRepeats
			}
		}
		for _, c := range s.Cases {
			if !contains(f.impl, c.Impl) {
				continue
			}
			for i := range c.Variants {
				plan = append(plan, &planned{scenario: s, impl: c.Impl, variant: &c.Variants[i], repeats: repeats})
			}
		}
	}
	return plan
}
