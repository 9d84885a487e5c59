//go:build amd64 || arm64

package framepointer

// Callers fills pcs with return addresses of the calling goroutine, innermost first, and returns how many there are. It
// returns 0 where frame pointers can't be followed. The same addresses in another call are the same place in the program.
func Callers(pcs []uintptr) int { return callers(pcs) }

// callers is in assembly because the stack must not move while its addresses are held as plain numbers: nothing in it can
// be preempted, and it does not grow the stack.
//
//go:noescape
func callers(pcs []uintptr) int
