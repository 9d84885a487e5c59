package framepointer

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

//go:noinline
func outer(pcs []uintptr, deep int) int {
	if deep > 0 {
		return outer(pcs, deep-1) + 0*len(pcs)
	}
	return inner(pcs)
}

//go:noinline
func inner(pcs []uintptr) int { return Callers(pcs) + 0*len(pcs) }

// TestCallers: the addresses are those of the functions that called, as the runtime itself names them.
func TestCallers(t *testing.T) {
	var pcs [64]uintptr
	n := outer(pcs[:], 3)
	if n == 0 {
		t.Skipf("no frame pointers on %s", runtime.GOARCH)
	}
	var names []string
	for _, pc := range pcs[:n] {
		if f := runtime.FuncForPC(pc - 1); f != nil {
			names = append(names, f.Name()[strings.LastIndexByte(f.Name(), '/')+1:])
		}
	}
	want := []string{"framepointer.outer", "framepointer.outer", "framepointer.outer", "framepointer.outer", "framepointer.TestCallers", "testing.tRunner"}
	at := slices.Index(names, want[0])
	if at < 0 || len(names) < at+len(want) || !slices.Equal(names[at:at+len(want)], want) {
		t.Fatalf("the stack is %v, want it to hold %v", names, want)
	}
}

// TestPlaces: two calls on different lines of one function are told apart, one line called twice is not.
func TestPlaces(t *testing.T) {
	stack := func(line int) (s []uintptr) {
		s = make([]uintptr, 64)
		if line == 0 {
			return s[:inner(s)]
		}
		return s[:inner(s)]
	}
	var got [][]uintptr
	for _, line := range []int{0, 0, 1} {
		got = append(got, stack(line))
	}
	if len(got[0]) == 0 {
		t.Skipf("no frame pointers on %s", runtime.GOARCH)
	}
	if !slices.Equal(got[0], got[1]) {
		t.Errorf("one place, two stacks: %x and %x", got[0], got[1])
	}
	if slices.Equal(got[0], got[2]) {
		t.Errorf("two places, one stack: %x", got[0])
	}
}

// TestShort: no more is written than there is room for.
func TestShort(t *testing.T) {
	pcs := []uintptr{0, 0, 42}
	if n := inner(pcs[:2]); n > 2 || pcs[2] != 42 {
		t.Errorf("%d addresses in a slice of 2, behind it %d", n, pcs[2])
	}
	if n := inner(nil); n != 0 {
		t.Errorf("%d addresses in no slice", n)
	}
}

func BenchmarkCallers(b *testing.B) {
	var pcs [64]uintptr
	for b.Loop() {
		outer(pcs[:], 20)
	}
}

func BenchmarkRuntimeCallers(b *testing.B) {
	var pcs [64]uintptr
	for b.Loop() {
		deepRuntime(pcs[:], 20)
	}
}

//go:noinline
func deepRuntime(pcs []uintptr, deep int) int {
	if deep > 0 {
		return deepRuntime(pcs, deep-1) + 0*len(pcs)
	}
	return runtime.Callers(1, pcs)
}
