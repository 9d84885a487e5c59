package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/racebench/racebench/interleave/schedule"
)

const rootLong = `racebench shows races of code that keeps jobs, locks and queues in Redis: each in the one order
of commands that breaks it, on the version that reads and then writes (naive) and on the version
that decides inside one script (lua). Nothing has to be installed: the default Redis is built in.`

const rootExample = `  racebench run                                    every race
  racebench show A1                                the story of one
  racebench replay A1 'A.GET B.GET A.. B..'        one in an order of your own
  racebench explore A1                             one in every order
  racebench run A1 --redis process                 on a redis-server from PATH`

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "racebench",
		Short:             "Reproduce races of Redis code, and show that they are fixed",
		Long:              rootLong,
		Example:           rootExample,
		Args:              cobra.ArbitraryArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cobra.EnableCommandSorting = false
	root.PersistentFlags().BoolVar(&a.plain, "no-color", false, "print without colours, as when NO_COLOR is set")
	root.PersistentFlags().BoolVar(&a.ascii, "ascii", false, "print nothing beyond ASCII, as on a terminal whose locale is not UTF-8")
	file := root.PersistentFlags().String("config", "", "a file with flags (default "+configFile+", if it is there); see racebench help config")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return cmp.Or(configure(cmd, *file), a.agreed()) }
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(strings.TrimRight(root.UsageTemplate(), "\n") + "{{if not .HasParent}}\n\nExit codes:\n" + exitCodes + "{{else}}\n{{end}}")
	root.AddCommand(newRun(a), newList(a), newShow(a), newReplay(a), newExplore(a), newFuzz(a), newMerge(a), newReport(a), newDiff(a),
		newDoctor(a), newVersion(a), newSchema(a), newMan(a), newScheduleTopic(), newConfigTopic())
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd(a.args...)
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = cobra.ArbitraryArgs, needsShell
		}
	}
	return root
}

func needsShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return usage(suggest(args[0], shells, "it is one of "+join(shells)), "unknown shell %q", args[0])
}

// newHelp is cobra's help command with an error for a topic that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:               "help [command or topic]",
		Short:             "Help about a command or a topic",
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || found == root && len(args) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	if len(args) == 0 {
		for _, c := range cmd.Root().Commands() {
			out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func newScheduleTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "schedule",
		Short: "How an order of commands is written",
		Long: "A schedule is a list of tokens with spaces between them; # starts a comment. What it leaves open happens\n" +
			"in a fair order.\n\n" + schedule.FormatGrammar(schedule.Grammar) +
			"\nConstraints (--before) order what the schedule leaves open:\n\n" + schedule.FormatGrammar(schedule.ConstraintGrammar) +
			"\nA token (racebench replay TOKEN) is a whole run in one line of a log. It begins with a digit, as no schedule does: 1.A1.naive.…\n" +
			"It names its world (race, implementation, number of the variant, aN for N actors) and has a checksum, the choices that were\n" +
			"not forced, and fingerprints of all steps. --mode strict, best-effort or prefix says what becomes of a schedule or a token\n" +
			"that does not fit the program any more: an error; what does not fit is left out; or every order is explored that begins so.",
	}
}

func unknownCommand(root *cobra.Command, word string) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return usage(suggest(word, names, "racebench help lists the commands"), "unknown command %q", word)
}

// flagError turns an error of the flag parser into one with a hint.
func flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		bad     *pflag.InvalidValueError
		none    *pflag.ValueRequiredError
	)
	switch {
	case errors.As(err, &bad):
		return usage(allowed(bad.GetFlag()), "--%s %q is no value for this flag", bad.GetFlag().Name, bad.GetValue())
	case errors.As(err, &none):
		return usage(allowed(none.GetFlag()), "--%s needs a value", none.GetFlag().Name)
	case !errors.As(err, &unknown):
		return usage(cmd.CommandPath()+" --help", "%v", err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	if len(unknown.GetSpecifiedShortnames()) > 0 {
		return usage(cmd.CommandPath()+" --help", "unknown flag -%s", unknown.GetSpecifiedName())
	}
	word := "--" + unknown.GetSpecifiedName()
	return usage(suggest(word, names, cmd.CommandPath()+" --help"), "unknown flag %s", word)
}

// numbers are the ranges of the flags that take one.
var numbers = map[string]string{
	"repeat":      fmt.Sprintf("a whole number from 1 to %d", maxRepeats),
	"max":         fmt.Sprintf("a whole number from 1 to %d", maxExecutions),
	"trials":      fmt.Sprintf("a whole number from 1 to %d", maxTrials),
	"steps":       "a whole number from 1",
	"actors":      "a whole number; racebench show says which a scenario can have",
	"for":         "a duration of more than 0: 30s, 10m, 1h30m",
	"preemptions": fmt.Sprintf("a whole number from 0 to %d", maxExecutions),
	"seed":        fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)),
}

// allowed is the hint that says what a flag takes.
func allowed(f *pflag.Flag) string {
	if what, ok := numbers[f.Name]; ok {
		return "--" + f.Name + " takes " + what
	}
	if f.Name == "impl" {
		return "--impl takes what the catalogue knows: " + join(impls())
	}
	if f.Value.Type() == "bool" {
		return "--" + f.Name + " stands alone, or takes true or false: --" + f.Name + "=false"
	}
	return "--" + f.Name + ": " + f.Usage
}

// atLeastOne refuses a command without arguments.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage("usage: "+cmd.UseLine(), "%s is missing", what)
		}
		return nil
	}
}

// exactly is like cobra's checks of arguments, in our words.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usage("usage: "+cmd.UseLine(), "%s is missing", what)
		case len(args) > n:
			return usage("usage: "+cmd.UseLine(), "%q is one argument too many", args[n])
		}
		return nil
	}
}
