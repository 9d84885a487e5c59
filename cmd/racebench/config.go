package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// configFile is read from the working folder when --config names no other.
const configFile = "racebench.yaml"

// configKinds are the endings of the files that are read.
var configKinds = []string{"yaml", "yml", "toml", "json"}

// unset are flags that a file and the environment don't set: they say what one call is to do.
var unset = []string{"config", "help", "worker", "resume", "shard"}

// configure gives the flags that the command line leaves open the values of the environment (RACEBENCH_REDIS, RACEBENCH_NO_COLOR) and
// else of the file: those of the command's own section before those at the top.
func configure(cmd *cobra.Command, file string) error {
	v := viper.New()
	v.SetConfigFile(file)
	if file == "" {
		v.SetConfigFile(configFile)
	}
	if end := strings.TrimPrefix(filepath.Ext(file), "."); file != "" && !slices.Contains(configKinds, end) {
		return usage("racebench help config", "--config: %s does not end in .%s", file, strings.Join(configKinds, ", ."))
	}
	missing := new(os.PathError)
	if err := v.ReadInConfig(); file == "" && errors.As(err, &missing) && errors.Is(err, os.ErrNotExist) {
		v = viper.New()
	} else if err != nil {
		return usage("racebench help config", "--config: %v", err)
	}
	if err := known(cmd.Root(), v); err != nil {
		return err
	}
	v.SetEnvPrefix("racebench")
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_", ".", "_"))
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if failed != nil || f.Changed || slices.Contains(unset, f.Name) {
			return
		}
		name := "RACEBENCH_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := os.LookupEnv(name)
		if !ok || value == "" {
			name = ""
			for _, key := range []string{cmd.Name() + "." + f.Name, f.Name} {
				if v.InConfig(strings.Split(key, ".")[0]) && v.IsSet(key) {
					name, value = v.ConfigFileUsed()+", "+key, worded(v.Get(key))
					break
				}
			}
		}
		if name == "" {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			failed = usage(allowed(f), "%s: %q is no value for --%s", name, value, f.Name)
		}
	})
	return failed
}

// worded is a value of the file as the command line has it.
func worded(value any) string {
	list, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	var words []string
	for _, v := range list {
		words = append(words, fmt.Sprint(v))
	}
	return strings.Join(words, ",")
}

// known refuses a file with keys that are neither flags nor commands with flags.
func known(root *cobra.Command, v *viper.Viper) error {
	allowed := map[string]bool{}
	for _, c := range root.Commands() {
		add := func(f *pflag.Flag) {
			if !slices.Contains(unset, f.Name) {
				allowed[f.Name], allowed[c.Name()+"."+f.Name] = true, true
			}
		}
		c.Flags().VisitAll(add)
		root.PersistentFlags().VisitAll(add)
	}
	keys := v.AllKeys()
	slices.Sort(keys)
	for _, key := range keys {
		if !allowed[key] {
			return usage(suggest(key, slices.Sorted(maps.Keys(allowed)), "racebench help config"), "%s: unknown key %s", v.ConfigFileUsed(), key)
		}
	}
	return nil
}

func newConfigTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "How flags are set by a file and by the environment",
		Long: "What the command line leaves open is taken from the environment, and else from " + configFile + " in the working folder (or\n" +
			"the file that --config names). A flag --sql-image is RACEBENCH_SQL_IMAGE in the environment and sql-image in the file:\n" +
			"at the top for every command that has the flag, in a section for one command.\n\n" +
			"  redis: process\n  run:\n    repeat: 20\n    impl: [naive, lua]\n\n" +
			"Flags win over the environment, the environment over the file, a section over the top. What names one call is not\n" +
			"taken from them: --resume, --shard.",
	}
}
