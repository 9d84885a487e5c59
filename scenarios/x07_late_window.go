package scenarios

var x07 = &Scenario{
	ID:      "X7",
	Name:    "late-window",
	Subject: calibrationSubject,
	Title:   "a stale unlock that one walk in two thousand meets",
	Story: `X2 with a shorter work: 14 commands of A against 3 of B. A walk at random, which at every step lets each go on with the
same chance, has B's takeover in the window of one command with a chance of 14 in 32,768, once in 2,341 walks. A search that begins with
the orders of fewest preemptions is there at its second.`,
	Window: "Release: between GET and DEL of the lock",
	Cases:  staleUnlock(lateLines),
}
