package redisurl

import (
	"maps"
	"slices"
	"strings"

	"github.com/racebench/racebench/interleave/command"
)

// keys are those that commands of the run have named in order to write them.
type keys struct {
	db    int
	named map[string]bool
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
	name := strings.ToUpper(args[0])
	sub := ""
	if len(args) > 1 {
		sub = strings.ToUpper(args[1])
	}
	switch name {
	case "FLUSHALL", "FLUSHDB", "ACL", "DEBUG", "SHUTDOWN", "SAVE", "BGSAVE", "BGREWRITEAOF", "REPLICAOF", "SLAVEOF", "FAILOVER",
		"MODULE", "MIGRATE", "MONITOR", "SYNC", "PSYNC", "RESTORE-ASKING", "CLUSTER":
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
	case "SCRIPT":
		if sub == "KILL" || sub == "DEBUG" {
			return notOurs
		}
	case "CLIENT":
		if sub == "KILL" || sub == "PAUSE" || sub == "UNPAUSE" || sub == "UNBLOCK" {
			return notOurs
		}
	case "LATENCY", "SLOWLOG":
		if sub == "RESET" {
			return notOurs
		}
	case "MEMORY":
		if sub == "PURGE" {
			return notOurs
		}
	}
	return k.note(args)
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
