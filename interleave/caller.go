package interleave

import (
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/racebench/racebench/internal/framepointer"
)

// plumbing are the module paths of code between a subject and its socket. Their frames are never "the caller", and a
// goroutine made of such frames alone belongs to a client library, not to the subject.
var plumbing = []string{
	"github.com/redis/go-redis/",
	"github.com/redis/rueidis",
	"github.com/gomodule/redigo/",
	"github.com/racebench/racebench/interleave.",
	"github.com/go-sql-driver/mysql",
	"github.com/racebench/racebench/internal/framepointer.",
	"github.com/racebench/racebench/internal/bubble.",
}

// isPlumbing reports whether a function of this name lies between a subject and its socket. Packages of the standard
// library are recognised by their path, whose first element has no dot.
func isPlumbing(function string) bool {
	for _, p := range plumbing {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	first, _, _ := strings.Cut(function, "/")
	if first == function { // no slash: "runtime.gopark", "main.run", "jobs.Start"
		pkg, _, _ := strings.Cut(function, ".")
		return stdlib[pkg]
	}
	return !strings.Contains(first, ".") && stdlib[first]
}

// stdlib holds the first path elements of standard library packages that can be on a stack above a connection.
var stdlib = map[string]bool{
	"runtime": true, "testing": true, "net": true, "bufio": true, "io": true, "sync": true, "context": true,
	"time": true, "internal": true, "database": true, "reflect": true, "slices": true, "maps": true, "iter": true,
	"sort": true, "strings": true, "bytes": true, "fmt": true, "os": true, "crypto": true, "encoding": true, "log": true,
}

// site is where in the subject a stack comes from.
type site struct {
	text    string // "naive/jobs_start.go:41", or empty
	subject bool   // some frame is the subject's
}

// sites are the stacks that have been resolved, by the hash of their physical frames.
var sites sync.Map // uint64 to *site

// deepest is how far from its socket a subject is looked for. Client libraries put a dozen or two frames in between.
const deepest = 64

// callerSite is where in the subject the calling goroutine is. A stack is unwound by the runtime only when it is met for the
// first time; after that its frame pointers, at a fiftieth of the cost, are enough to know it again.
func callerSite() *site {
	var pcs [deepest]uintptr
	n := framepointer.Callers(pcs[:])
	if n == 0 {
		return resolve()
	}
	key := hash(pcs[:n])
	if s, ok := sites.Load(key); ok {
		return s.(*site)
	}
	s := resolve()
	sites.Store(key, s)
	return s
}

// resolve finds the innermost frame that is the subject's own.
func resolve() *site {
	var pcs [deepest]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
	for {
		f, more := frames.Next()
		if f.Function != "" && !isPlumbing(f.Function) {
			return &site{path.Join(packageName(f.Function), path.Base(f.File)) + ":" + strconv.Itoa(f.Line), true}
		}
		if !more {
			return &site{}
		}
	}
}

// packageName is the last element of the package path of a function: "jobs" for "example.org/jobs.(*Jobs).Start". Unlike
// the folder of the file it does not depend on where the module was checked out.
func packageName(function string) string {
	last := function[strings.LastIndexByte(function, '/')+1:]
	name, _, _ := strings.Cut(last, ".")
	return strings.TrimSuffix(name, "_test")
}

func hash(stack []uintptr) uint64 {
	h := uint64(14695981039346656037) // FNV-1a over the return addresses
	for _, pc := range stack {
		h = (h ^ uint64(pc)) * 1099511628211
	}
	return h
}
