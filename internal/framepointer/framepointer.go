// Package framepointer reads the return addresses of the calling goroutine by its frame pointers.
//
// runtime.Callers looks up unwinding tables for each frame, which costs more than 1 µs for the stack of a client library. The
// chain of frame pointers, which Go keeps on amd64 and arm64 for profilers, gives the same physical frames in a few
// nanoseconds, without the inlined ones and without names: enough to recognise a stack that has been seen before.
package framepointer
