// Package lua holds the systems with every decision made where the data is: a
// script reads, decides and writes as one step on the server, so that nothing
// can happen in between and a crash leaves all of it or nothing.
//
// Each script is a .lua file with a header that lists its keys, its arguments
// and what it returns. A script touches no key but those in KEYS, all of one
// hash tag, and is sent by its hash (EVALSHA) after the first use.
package lua
