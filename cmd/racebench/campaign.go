package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/racebench/racebench/interleave"
	"github.com/racebench/racebench/internal/fanout"
	"github.com/racebench/racebench/internal/report"
)

// campaignFlags say how an exploration is carried out: by how many processes, on which machine, from where on. None of them
// makes a difference to what it comes to.
type campaignFlags struct {
	jobs       int
	shard      string
	shards     int
	out        string
	checkpoint string
	resume     string
	worker     bool

	settings map[string]string // the flags that do make a difference
	merged   []report.Parts    // what racebench merge puts together, instead of exploring
}

const maxJobs = 1024

func (c *campaignFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&c.jobs, "jobs", "j", runtime.NumCPU(), "worker processes, each with a throwaway Redis of its own, for what takes over a second")
	cmd.Flags().StringVar(&c.shard, "shard", "", "explore one of several shards, such as 1/3; racebench merge puts them together")
	cmd.Flags().IntVar(&c.shards, "shards", 0, "number of shards, for a Kubernetes Indexed Job: JOB_COMPLETION_INDEX says which one")
	cmd.Flags().StringVar(&c.out, "out", "", "file for a shard (default results/explore-….json)")
	cmd.Flags().StringVar(&c.checkpoint, "checkpoint", "", "file for what has been explored when it is stopped before its end (default results/explore-….checkpoint.json)")
	cmd.Flags().StringVar(&c.resume, "resume", "", "take up the exploration of a checkpoint")
	cmd.Flags().BoolVar(&c.worker, "worker", false, "explore the units that come in on standard input")
	must(cmd.Flags().MarkHidden("worker"))
	must(cmd.RegisterFlagCompletionFunc("jobs", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("shard", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("shards", cobra.NoFileCompletions))
}

// operational are the flags that make no difference to what an exploration comes to.
var operational = []string{"jobs", "shard", "shards", "out", "checkpoint", "resume", "worker", "json", "no-color", "ascii", "quiet", "verbose", "wide", "watch", "pace", "html", "junit", "markdown", "mermaid", "svg", "help", "for", "confirm", "confirm-image", "redis-image"}

// check fills in what the command line and the environment leave open.
func (c *campaignFlags) check(cmd *cobra.Command) error {
	makesNoDifference := operational
	for _, f := range formats {
		makesNoDifference = append(slices.Clip(makesNoDifference), f.name)
	}
	if c.jobs < 1 || c.jobs > maxJobs {
		return usage(fmt.Sprintf("from 1 to %d", maxJobs), "--jobs %d is out of range", c.jobs)
	}
	c.settings = map[string]string{}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if value := f.Value.String(); value != f.DefValue && !slices.Contains(makesNoDifference, f.Name) {
			c.settings[f.Name] = value
		}
	})
	for _, name := range []string{"redis", "sql"} {
		if u, err := url.Parse(c.settings[name]); err == nil && u.User != nil {
			c.settings[name] = u.Redacted()
		}
	}
	return nil
}

// campaign is an exploration on its way.
type campaign struct {
	*campaignFlags
	a        *app
	name     string // A1 naive, as a part of a file name
	runner   *interleave.Runner
	world    func(*interleave.World)
	ran      *atomic.Int64
	live     *live
	assembly *interleave.Assembly
	units    int
	mine     *share // nil for the whole
}

// run explores, or puts together what has been explored, and returns what it came to. What is found is explained even when
// the time to search is over.
func (c *campaign) run(ctx, search context.Context, word string) (*interleave.Exploration, error) {
	units, err := c.runner.Split(search, c.world)
	if err != nil {
		return &interleave.Exploration{Err: err}, nil
	}
	c.units = len(units)
	if c.mine, err = c.share(); err != nil {
		return nil, err
	}
	if c.mine != nil {
		units = c.mine.of(units)
	}
	c.assembly = c.runner.NewAssembly(units)
	have, err := c.had(word)
	if err != nil {
		return nil, err
	}
	for _, doc := range have {
		for _, p := range doc.Parts {
			if err := c.assembly.Add(p); err != nil {
				return nil, usage("the program or the files have changed since", "%v", err)
			}
		}
	}
	if len(c.merged) == 0 {
		if err := c.explore(search); err != nil {
			return nil, err
		}
	} else if !c.assembly.Done() {
		u, _ := c.assembly.Next()
		return nil, usage("merge all shards", "unit %s of the exploration is in none of the files", u.ID)
	}
	stopped := !c.assembly.Done()
	x := c.runner.Assemble(ctx, c.assembly, c.world)
	if stopped && x.Err == nil {
		err = c.keep(word)
	}
	return x, err
}

// explore lets workers explore what is left.
func (c *campaign) explore(ctx context.Context) error {
	plan := fanout.Plan{
		Assembly: c.assembly,
		Workers:  c.jobs,
		Patience: time.Second,
		Local: func(ctx context.Context, u interleave.Unit) interleave.Part {
			return c.runner.ExplorePart(ctx, c.world, u)
		},
		Ran:   func(n int) { c.ran.Add(int64(n)) },
		Added: func() { c.live.tell(c.assembly) },
	}
	if c.a.itself != nil && c.jobs > 1 {
		plan.Command = func() *exec.Cmd { return c.a.itself("--worker") }
	}
	err := fanout.Explore(ctx, plan)
	// What the trial had run when its time was over is known, and nobody has asked for it.
	for err == nil && ctx.Err() != nil {
		u, ok := c.assembly.Next()
		if !ok || u.Trial == 0 {
			break
		}
		err = c.assembly.Add(c.runner.ExplorePart(ctx, c.world, u))
	}
	return err
}

// had is what has been explored before: the files to merge, or the checkpoint to take up.
func (c *campaign) had(word string) ([]report.Parts, error) {
	if c.resume == "" {
		return c.merged, nil
	}
	doc, err := loadParts(c.resume)
	if err != nil {
		return nil, err
	}
	if doc.Scenario != word {
		return nil, usage("racebench explore "+doc.Scenario+" --resume "+shellQuote(c.resume), "%s is of %s, not of %s", c.resume, doc.Scenario, word)
	}
	if name, was, is, differ := differing(doc.Settings, c.settings); differ {
		return nil, usage("give the same flags again", "%s was made with --%s %s, not %s", c.resume, name, was, is)
	}
	if doc.Shard != c.mine.String() {
		return nil, usage("give the same --shard again", "%s is of %s, not of %s", c.resume, described(doc.Shard), described(c.mine.String()))
	}
	return []report.Parts{*doc}, nil
}

func described(shard string) string {
	if shard == "" {
		return "the whole"
	}
	return "shard " + shard
}

// differing is a flag that has different values in two settings.
func differing(a, b map[string]string) (name, was, is string, differ bool) {
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if a[name] != b[name] {
			return name, valueOf(a[name]), valueOf(b[name]), true
		}
	}
	return "", "", "", false
}

func valueOf(s string) string {
	if s == "" {
		return "(default)"
	}
	return s
}

// parts is the document of what is done so far.
func (c *campaign) parts(word string) report.Parts {
	name, version := c.runner.Backend()
	return report.Parts{
		Head:     report.Head{Schema: report.Schema, Kind: report.KindParts},
		Backend:  report.Backend{Name: name, Version: version},
		Scenario: word,
		Settings: c.settings,
		Shard:    c.mine.String(),
		Units:    c.units,
		Parts:    c.assembly.Parts(),
	}
}

// keep writes the checkpoint of an exploration that was stopped.
func (c *campaign) keep(word string) error {
	file := c.checkpoint
	if file == "" {
		file = filepath.Join("results", "explore-"+c.name+".checkpoint.json")
	}
	if err := report.WriteParts(file, c.parts(word)); err != nil {
		return usage("give another --checkpoint FILE", "can't write %s: %v", file, err)
	}
	fmt.Fprintf(c.a.stderr, "racebench: stopped; to take it up again: racebench %s\n", plainLine(c.a.resumed(file)))
	return nil
}

// resumed is the command line again, with a checkpoint to take up.
func (a *app) resumed(file string) string {
	var words []string
	for i := 0; i < len(a.args); i++ {
		switch w := a.args[i]; {
		case w == "--resume" || w == "--checkpoint":
			i++
		case strings.HasPrefix(w, "--resume=") || strings.HasPrefix(w, "--checkpoint="):
		case strings.Contains(w, "://"):
			words = append(words, "…") // it may hold a password
		default:
			words = append(words, shellWord(w))
		}
	}
	return strings.Join(append(words, "--resume", shellWord(file)), " ")
}

// loadParts reads a checkpoint or a shard.
func loadParts(file string) (*report.Parts, error) {
	doc, err := report.LoadParts(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("it is a file that racebench explore has written", "no file %s", file)
	case err != nil:
		return nil, usage("it is a file that racebench explore has written, with --shard or as a checkpoint", "%s: %v", file, err)
	}
	return doc, nil
}

// serve is a worker process: it has the same command line as the one that started it.
func (c *campaign) serve(ctx context.Context) error {
	return fanout.Serve(ctx, c.a.stdin, c.a.stdout, c.ran, func(ctx context.Context, u interleave.Unit) interleave.Part {
		return c.runner.ExplorePart(ctx, c.world, u)
	})
}
