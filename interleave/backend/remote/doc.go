// Package remote is the client side of one real Redis server that a world uses: raw sockets, mirror connections that are
// kept between worlds, and the two ways to make the server's clock virtual.
//
// A step must not cost much more than the round trip that it is, so everything beside it is avoided or carried in the
// same write: connections are kept in the state that the last world left and brought to the wanted one just in front of
// the first command that needs it, the data set is flushed the same way, and handshakes whose answer is known are
// answered from what this very server said before.
//
// All calls come from one goroutine, which lives in a testing/synctest bubble: package time is fake there. So nothing in
// this package asks package time for anything; limits in real time are the kernel's (SO_RCVTIMEO), or are kept by a
// goroutine that was started outside.
package remote
