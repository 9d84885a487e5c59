package command

import (
	"fmt"
	"strconv"
	"strings"
)

// Access says what a command does with one of its keys.
type Access uint8

const (
	Read      Access = 1 << iota // reads the value
	Modify                       // writes the value
	ReadWrite = Read | Modify
)

func (a Access) String() string {
	switch a {
	case Read:
		return "R"
	case Modify:
		return "W"
	case ReadWrite:
		return "RW"
	}
	return fmt.Sprintf("Access(%d)", uint8(a))
}

// Key is one key of a command line.
type Key struct {
	Name   string
	Access Access
}

// keySpec tells where keys stand, as the server's key specifications do:
// https://redis.io/docs/latest/develop/reference/key-specs/.
type keySpec struct {
	access     Access
	skip       bool   // what stands there is no key (a shard channel)
	incomplete bool   // there may be more keys than it tells
	keyword    string // the search begins after this word, when not empty,
	begin      int    // … looked for from this word on, backwards when negative; without keyword the first key's place
	numkeys    bool   // a count stands at first+countAt, and the keys begin at first+firstKey
	countAt    int
	firstKey   int
	last       int // place of the last key relative to the first, or to the end when negative
	step       int
	limit      int // 2: only the first half of what remains are keys
}

// exception is what one command adds to its key specs.
type exception struct {
	unknown bool // no telling which keys
	specs   []keySpec
}

// Keys tells which keys a command line reads and writes. ok is false when nobody can tell from the words alone, and then
// the command must be taken to touch every key: unknown commands, a wrong number of words, SORT with BY or GET, KEYS,
// SCAN, FLUSHALL and others that are about the whole database. A key that stands twice comes twice.
//
// A script counts with the keys that it declares. Publishing and subscribing touch no key.
func Keys(args []string) (keys []Key, ok bool) {
	info, ok := Lookup(args)
	if !ok {
		return nil, false
	}
	return info.AppendKeys(nil, args)
}

// AppendKeys is [Keys] for a command that was looked up already; it appends to dst.
func (i *Info) AppendKeys(dst []Key, args []string) (keys []Key, ok bool) {
	if !i.ArityOK(len(args)) || i.subs != nil {
		return dst, false
	}
	specs := i.specs
	if i.extra != nil {
		e := i.extra(args)
		if e.unknown {
			return dst, false
		}
		if e.specs != nil {
			specs = e.specs
		}
	}
	from := len(dst)
	for s := range specs {
		if dst, ok = specs[s].append(dst, args); !ok {
			return dst[:from], false
		}
	}
	return dst, true
}

// append adds the keys of one spec. It follows getKeysUsingKeySpecs of the server, but takes a count of 0 for what it
// is: no keys.
func (s *keySpec) append(dst []Key, args []string) ([]Key, bool) {
	if s.skip {
		return dst, true
	}
	if s.incomplete {
		return dst, false
	}
	first, found := s.search(args)
	if !found {
		return dst, true
	}
	var last int
	switch {
	case s.numkeys:
		if first+s.countAt >= len(args) {
			return dst, false
		}
		n, err := strconv.Atoi(args[first+s.countAt])
		if err != nil || n < 0 || n > len(args) {
			return dst, false
		}
		if n == 0 {
			return dst, true
		}
		first += s.firstKey
		last = first + (n-1)*s.step
	case s.last >= 0:
		last = first + s.last
	case s.limit > 1:
		last = first + (len(args)-first)/s.limit + s.last
	default:
		last = len(args) + s.last
	}
	if first > last || last >= len(args) {
		return dst, false
	}
	if dst == nil {
		dst = make([]Key, 0, (last-first)/s.step+1)
	}
	for i := first; i <= last; i += s.step {
		dst = append(dst, Key{args[i], s.access})
	}
	return dst, true
}

// search finds the word that begins the keys.
func (s *keySpec) search(args []string) (first int, found bool) {
	if s.keyword == "" {
		return s.begin, true
	}
	i, end, step := s.begin, len(args)-1, 1
	if s.begin < 0 {
		i, end, step = len(args)+s.begin, 1, -1
	}
	for ; i > 0 && i < len(args) && i != end; i += step {
		if strings.EqualFold(args[i], s.keyword) {
			return i + 1, true
		}
	}
	return 0, false
}

// parseSpec reads one spec of table.txt: access and flags, where to begin, where the keys are, separated by colons.
func parseSpec(text string) (keySpec, error) {
	bad := fmt.Errorf("key spec %q", text)
	parts := strings.Split(text, ":")
	if len(parts) != 3 || len(parts[1]) < 2 || len(parts[2]) < 1 {
		return keySpec{}, bad
	}
	var s keySpec
	for _, f := range strings.Split(parts[0], ",") {
		switch f {
		case "RO":
			s.access = Read
		case "RW":
			s.access = ReadWrite
		case "OW", "RM":
			s.access = Modify
		case "not_key":
			s.skip = true
		case "incomplete":
			s.incomplete = true
		}
	}
	begin := strings.Split(parts[1][1:], ",")
	if parts[1][0] == 'k' {
		if len(begin) != 2 {
			return keySpec{}, bad
		}
		s.keyword, begin = begin[0], begin[1:]
	}
	nums, err := ints(append(begin[:1:1], strings.Split(parts[2][1:], ",")...))
	switch {
	case parts[2] == "unknown":
		s.incomplete = true
		return s, nil
	case err != nil || len(nums) != 4:
		return keySpec{}, bad
	}
	s.begin = nums[0]
	if parts[2][0] == 'n' {
		s.numkeys, s.countAt, s.firstKey, s.step = true, nums[1], nums[2], nums[3]
	} else {
		s.last, s.step, s.limit = nums[1], nums[2], nums[3]
	}
	return s, nil
}

func ints(words []string) ([]int, error) {
	out := make([]int, len(words))
	for i, w := range words {
		var err error
		if out[i], err = strconv.Atoi(w); err != nil {
			return nil, err
		}
	}
	return out, nil
}
