package interleave

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/racebench/racebench/interleave/schedule"
)

// This file keeps the orders that make a test fail, as rapid does with its fail files: as text below the folder of the
// package, to be run first the next time.

// NoSave keeps Explore from saving the orders that make a test fail. Those that are saved already are run all the same.
func NoSave() Option { return func(c *config) { c.noSave = true } }

// savedEnding is how the names of the files end.
const savedEnding = ".schedule"

// savedDir is the folder of a test's saved orders, below that of its package.
func savedDir(test string) string {
	parts := []string{"testdata", "interleave"}
	for _, p := range strings.Split(test, "/") {
		parts = append(parts, safeName(p))
	}
	return filepath.Join(parts...)
}

// safeName is a part of a test's name as file systems take it. Where something has to be left out, the checksum of the whole
// keeps two names apart.
func safeName(part string) string {
	const longest = 80
	safe := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.=+,", r) {
			return r
		}
		return '_'
	}, part)
	safe = strings.TrimLeft(safe, ".-")
	if safe == part && len(safe) <= longest && safe != "" && !strings.HasSuffix(safe, ".") && !reservedName(safe) {
		return safe
	}
	return safe[:min(len(safe), longest)] + "_" + contentHash(part)[:8]
}

// reservedName reports whether Windows has a device of that name.
func reservedName(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	return slices.Contains([]string{"CON", "PRN", "AUX", "NUL"}, base) ||
		len(base) == 4 && (strings.HasPrefix(base, "COM") || strings.HasPrefix(base, "LPT"))
}

func contentHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// saveAll keeps the orders that an exploration has found, as they are shown.
func (r *Runner) saveAll(t *testing.T, x *Exploration, world func(*World)) {
	t.Helper()
	if r.cfg.noSave || *replayFlag != "" {
		return
	}
	for _, f := range x.Found {
		shown := f.First
		if f.Shrunk != nil {
			shown = f.Shrunk
			r.blur(shown, world)
		}
		if save(t, shown) == "" {
			return
		}
	}
}

// save keeps the order of a result for the next time. What cannot be written is said in one line of the test's log, and is
// no failure. It returns the file, if there is one.
func save(t *testing.T, res *Result) string {
	t.Helper()
	text := res.Trace.Schedule().String()
	file := filepath.Join(savedDir(t.Name()), contentHash(text)+savedEnding)
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if err := writeWhole(file, savedText(t.Name(), text, res)); err != nil {
		t.Logf("interleave: this order is not saved for the next time: %v", err)
		return ""
	}
	return file
}

// savedText says nothing that another run of the same order would say otherwise.
func savedText(test, text string, res *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# An order that makes %s fail. It is run first the next time; remove this file when it is of no use.\n", test)
	for _, v := range res.Verdicts {
		if v.Outcome == Violated {
			fmt.Fprintf(&b, "# violates %s after step %d\n", strconv.Quote(v.Invariant), v.Step)
		}
	}
	if res.Err != nil {
		fmt.Fprintf(&b, "# ends with %T\n", res.Err)
	}
	if token := res.Token(test); token != "" {
		fmt.Fprintf(&b, "# token %s\n", token)
	}
	return b.String() + text + "\n"
}

// writeWhole writes a file so that nobody sees a part of it.
func writeWhole(file, text string) error {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect once it has its name
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// runSaved runs the saved orders of a test and returns the first that still goes wrong, with its file. One that holds now, or
// that no longer fits the program, is said in the log, and stays where it is.
func (r *Runner) runSaved(t *testing.T, world func(*World)) (*Result, string) {
	t.Helper()
	dir := savedDir(t.Name())
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Logf("interleave: saved orders are not run: %v", err)
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), savedEnding) {
			continue
		}
		file := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(file)
		if err != nil {
			t.Logf("interleave: a saved order is not run: %v", err)
			continue
		}
		s, err := schedule.Parse(string(text))
		if err != nil {
			t.Logf("interleave: %s is ignored: %v", file, err)
			continue
		}
		res := r.once(newForced(s, fair{}), order{tokens: s}.needs(), world)
		switch {
		case diverged(res.Err):
			t.Logf("interleave: %s is ignored, since it no longer fits: %v", file, res.Err)
		case fatalTo(res.Err) != nil, res.Outcome() == Undecided && res.Err == nil:
			t.Logf("interleave: %s is ignored, since it could not be judged: %v", file, res.Err)
		case res.Outcome() == Held:
			t.Logf("interleave: %s holds now", file)
		default:
			return res, file
		}
		if r.broken != nil {
			break
		}
	}
	return nil, ""
}

// stillWrong is the exploration that a saved order has ended before it began.
func stillWrong(res *Result, file string) *Exploration {
	x := &Exploration{
		Executions: 1, Orders: 1, Violating: 1, FirstAt: 1,
		Bound: fmt.Sprintf("the saved order %s still goes wrong, the others are run when it no longer does", file),
	}
	for _, v := range res.Verdicts {
		if v.Outcome == Violated {
			x.Found = append(x.Found, Finding{What: v.Invariant, Orders: 1, First: res})
		}
	}
	if res.Err != nil {
		x.Found = append(x.Found, Finding{What: fmt.Sprintf("%T", res.Err), Orders: 1, First: res})
	}
	return x
}
