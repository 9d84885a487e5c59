package scenarios

// lockIDs are the races of the lock, in order, and ofLocks is how much of the catalogue they are.
const lockIDs = "B1 B2 B3 B4 B5 B6 B7 B8 B9 B11 B12"

var ofLocks = ran{scenarios: 11, cases: 22, variants: 29}
