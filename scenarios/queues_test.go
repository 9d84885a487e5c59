package scenarios

// What of the catalogue is of the queue.
const queueIDs = "C5"

var ofQueues = ran{scenarios: 1, cases: 2, variants: 2}
