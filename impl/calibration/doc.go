// Package calibration holds the smallest systems that can go wrong: a counter, a
// lock that can be taken over, a rota. How many orders of their commands there
// are, and how many go wrong, is known beforehand, so they measure the tool that
// looks for races, not the other way round.
//
// Each comes in two versions. Those named as the thing itself read, decide in
// the process, then write; those that end in Script decide in one script.
//
//	<key>             string   the counter; the holder of the lock
//	<person>          string   "on" or "off": whether somebody is on call
//	<name>:log        hash     what somebody did beside it
package calibration
