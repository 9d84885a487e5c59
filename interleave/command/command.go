// Package command knows Redis commands: their flags, and which keys a command line reads and writes.
//
// What it knows is the answer of a real server to COMMAND, kept in table.txt; a test compares the two, and another
// compares [Keys] with COMMAND GETKEYSANDFLAGS. Both Lookup and Keys run on every step of a world, so neither
// allocates more than its result.
package command

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// Flags are the properties of a command that the scheduler acts on, from the server's own COMMAND INFO.
type Flags uint16

const (
	Write    Flags = 1 << iota // may change the data set
	ReadOnly                   // never changes the data set
	Blocking                   // may wait on the server
	PubSub                     // of the publish/subscribe family
	NoScript                   // not allowed in scripts
	Movable                    // keys can't be told by position alone
	Admin                      // administers the server
	NoMulti                    // not allowed in a transaction
)

var flagNames = map[string]Flags{
	"write": Write, "readonly": ReadOnly, "blocking": Blocking, "pubsub": PubSub,
	"noscript": NoScript, "movablekeys": Movable, "admin": Admin, "no_multi": NoMulti,
}

// Has reports whether all flags of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Info is one command of the table.
type Info struct {
	Name  string // upper case; a subcommand as "XGROUP CREATE"
	Arity int    // as COMMAND INFO gives it: the command's own words count, negative for "at least"
	Flags Flags

	specs []keySpec
	subs  map[string]*Info
	extra func(args []string) exception // what the key specs leave open; nil for most
}

// ArityOK reports whether a command line of n words, the command's own included, is not too short and not too long.
func (i *Info) ArityOK(n int) bool { return n == i.Arity || i.Arity < 0 && n >= -i.Arity }

// Container reports whether the command does nothing but hold subcommands, as XGROUP does.
func (i *Info) Container() bool { return i.subs != nil }

// Lookup finds the command of a command line, in any case of letters: XGROUP CREATE for "xgroup create k g $". A
// container whose subcommand is missing or unknown is found as itself; ok is false for a command not in the table.
func Lookup(args []string) (info *Info, ok bool) {
	if len(args) == 0 {
		return nil, false
	}
	info = find(table, args[0])
	if info == nil {
		return nil, false
	}
	if info.subs != nil && len(args) > 1 {
		if sub := find(info.subs, args[1]); sub != nil {
			return sub, true
		}
	}
	return info, true
}

// find looks name up in upper case without making a string of it.
func find(m map[string]*Info, name string) *Info {
	var buf [32]byte // the longest name has 20 letters
	if len(name) > len(buf) {
		return nil
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	return m[string(buf[:len(name)])]
}

// Names lists the commands of the table in its order, subcommands included.
func Names() []string {
	var names []string
	for line := range strings.Lines(tableText) {
		if name, _, ok := strings.Cut(line, " "); ok && !strings.HasPrefix(line, "#") {
			names = append(names, strings.Replace(name, "|", " ", 1))
		}
	}
	return names
}

//go:embed table.txt
var tableText string

var table = mustParse(tableText)

// mustParse reads the table. Its form is described at its own head.
func mustParse(text string) map[string]*Info {
	m := map[string]*Info{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		info, err := parseLine(fields)
		if err != nil {
			panic(fmt.Sprintf("command: table.txt: %v in %q", err, line))
		}
		parent, sub, isSub := strings.Cut(info.Name, " ")
		if !isSub {
			m[info.Name] = info
			continue
		}
		if m[parent].subs == nil {
			m[parent].subs = map[string]*Info{}
		}
		m[parent].subs[sub] = info
	}
	return m
}

func parseLine(fields []string) (*Info, error) {
	if len(fields) < 3 {
		return nil, fmt.Errorf("%d fields", len(fields))
	}
	info := &Info{Name: strings.Replace(fields[0], "|", " ", 1)}
	var err error
	if info.Arity, err = strconv.Atoi(fields[1]); err != nil {
		return nil, err
	}
	for _, f := range strings.Split(fields[2], ",") {
		info.Flags |= flagNames[f]
	}
	for _, f := range fields[3:] {
		spec, err := parseSpec(f)
		if err != nil {
			return nil, err
		}
		info.specs = append(info.specs, spec)
	}
	info.extra = exceptions[info.Name]
	return info, nil
}
