package redisurl

import (
	"maps"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/command"
)

// keys are those that commands of the run have named in order to write them.
type keys struct {
	db      int
	named   map[string]bool
	scripts map[string]string // why a script is refused, by its text; empty if it is not
}

// list returns them in order.
func (k *keys) list() []string { return slices.Sorted(maps.Keys(k.named)) }

// Reasons for a refusal.
const (
	notOurs    = "this server and what else is in it are not the run's own"
	oneDB      = "the run has one database of this server, which it sees as 0"
	unknowable = "there is no telling which keys it writes, so they could not be removed"
)

// guard refuses what would concern more than the keys of the run, and notes the keys that a command writes.
func (k *keys) guard(args []string) string {
	reason := refusal(args)
	switch name := strings.ToUpper(args[0]); {
	case reason != "":
	case (name == "EVAL" || name == "EVAL_RO") && len(args) > 1:
		reason = k.script(args[1])
	case name == "SCRIPT" && len(args) > 2 && strings.EqualFold(args[1], "LOAD"):
		reason = k.script(args[2])
	}
	if reason != "" {
		return reason
	}
	return k.note(args)
}

// refusal says why a command is refused by its words alone; empty if it is not. A word may be [unknown].
func refusal(args []string) string {
	name := strings.ToUpper(args[0])
	sub := ""
	if len(args) > 1 {
		sub = strings.ToUpper(args[1])
	}
	switch name {
	case "FLUSHALL", "FLUSHDB", "ACL", "DEBUG", "SHUTDOWN", "SAVE", "BGSAVE", "BGREWRITEAOF", "REPLICAOF", "SLAVEOF", "FAILOVER",
		"MODULE", "MIGRATE", "MONITOR", "SYNC", "PSYNC", "REPLCONF", "RESTORE-ASKING", "CLUSTER", "FCALL", "FCALL_RO":
		return notOurs
	case "SWAPDB", "MOVE":
		return oneDB
	case "SELECT":
		if sub != "0" {
			return oneDB
		}
	case "COPY":
		for _, a := range args {
			if strings.EqualFold(a, "DB") {
				return oneDB
			}
		}
	case "CONFIG":
		if sub != "GET" && sub != "HELP" {
			return notOurs
		}
	case "FUNCTION":
		if sub != "LIST" && sub != "DUMP" && sub != "STATS" && sub != "HELP" {
			return notOurs
		}
	case "SCRIPT", "CLIENT", "LATENCY", "SLOWLOG", "MEMORY":
		if sub == unknown || slices.Contains(notSubs[name], sub) {
			return notOurs
		}
	}
	return ""
}

// notSubs are the subcommands that are refused of commands of which others are not.
var notSubs = map[string][]string{
	"SCRIPT":  {"KILL", "DEBUG"},
	"CLIENT":  {"KILL", "PAUSE", "UNPAUSE", "UNBLOCK"},
	"LATENCY": {"RESET"},
	"SLOWLOG": {"RESET"},
	"MEMORY":  {"PURGE"},
}

// note remembers the keys that a command writes. A command that only reads makes no key the run's own.
func (k *keys) note(args []string) string {
	info, known := command.Lookup(args)
	if !known {
		return "" // the server will refuse it, or it is of a module whose keys are left and reported
	}
	named, ok := command.Keys(args)
	if !ok {
		if info.Flags.Has(command.Write) && info.ArityOK(len(args)) {
			return unknowable
		}
		return ""
	}
	for _, key := range named {
		if key.Access&command.Modify != 0 {
			k.named[key.Name] = true
		}
	}
	return ""
}
