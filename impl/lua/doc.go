// Package lua holds the systems with every decision made where the data is: a
// script reads, decides and writes as one step on the server, so that nothing
// can happen in between and a crash leaves all of it or nothing.
//
// Each script is a .lua file with a header that lists its keys, its arguments
// and what it returns. A script touches no key but those in KEYS, all of one
// hash tag, and is sent by its hash (EVALSHA) after the first use.
//
// # Keys and how long they live
//
//	job:{target}:running          string       JobsConfig.PointerTTL; gone when the job ends
//	job:{target}:<id>             hash         JobsConfig.JobTTL, from Start
//	job:{target}:<id>:results     hash         what is left of the TTL of the job
//	status:{id}                   string       to the end of the longest lease of a holder
//	status:{id}:holders           sorted set   the same; a lease is LockConfig.StateTTL, renewed every third of it
//	status:{id}:lock              string       LockConfig.Lease ([Mutex] only)
//	queue:{name}:ready            list         no TTL
//	queue:{name}:active           sorted set   no TTL
//	queue:{name}:attempts         hash         no TTL; a task's field goes when done forgets the task
//	queue:{name}:done             sorted set   no TTL; each task for QueueConfig.Retention
//	queue:{name}:dead             sorted set   no TTL; until somebody looks
//	queue:{name}:wake             list         no TTL; deleted when nothing is ready
//	queue:{name}:claim:<worker>   hash         twice QueueConfig.Timeout
//
// A server that holds any of these should not evict (maxmemory-policy noeviction).
//
// # Redis Cluster
//
// All keys of one target, datum or queue have its name as their hash tag and are
// in one slot. Different targets and data spread over the nodes; one queue is on
// one node. The constructors take a [github.com/redis/go-redis/v9.UniversalClient], so that a
// cluster or a sentinel client works as well. Replication is asynchronous: a failover can lose what
// was acknowledged last, and each type says under Limits what that does to it.
//
// # After an error
//
// An error of Redis or of the database does not say whether the operation was
// executed: the connection may have been lost after it. go-redis itself sends a command
// again (MaxRetries, three times by default), so every script can meet its own
// first execution. What the caller should do:
//
//	Jobs.Start        a new call may answer Reused, with the job of the lost one, whose worker never
//	                  started: it stays RUNNING until Status fails it, past the deadline
//	Jobs.Progress     call again: the same item is counted once
//	Jobs.Succeed      call again: nil when it had been executed
//	Jobs.Fail         call again: nil when it had been executed
//	Jobs.Status       call again
//	Jobs.Apply        call again: ErrAlreadyApplied says that the rows are written
//	StatusLock.Do     "enter": compute was not called; call again. "leave": it was called, and must not
//	                  be again if it may run once only; the lease ends by itself
//	StatusLock.State  call again
//	Mutex.Lock        call again: a lock taken unseen makes it wait for the rest of that Lease, or
//	                  ErrLockTimeout
//	Mutex.Unlock      call again: ErrLeaseLost may mean that the first one had been executed
//	Queue.Add         call again, with the same id: it is added once
//	Queue.Work        call again, with the same worker: the same attempt goes on where its row says
//	Queue.Reap        call again, or let the next pass do it
//
// # Redis down, or slow
//
// Nothing here retries or falls back: an operation returns the error of the client, wrapped. How
// long that takes is up to the client. By default a go-redis client
// does not heed the deadline of a context while it reads a reply, but its own ReadTimeout (5 s), and then
// tries again. Set ContextTimeoutEnabled in its options to have the deadline count, and keep
// ReadTimeout well below StateTTL, so that a renewal that hangs leaves time for another.
//
// Three things outlive a context that has ended, each on purpose and for no longer than the client's own
// timeouts and retries: StatusLock.Do leaves; Queue.Work records how the attempt ended; and Work waits
// for a task for up to Poll, since a connection that blocks heeds no context unless told so. No goroutine outlives
// its call.
//
// While Redis is away, StatusLock.Do ends the context of compute as soon as its lease may be over,
// a task that is being handled goes on, and its end is in its row even when the queue can't be told.
//
// # Metrics and logs
//
// There are none, and the hooks are the caller's: a go-redis hook (AddHook) sees each command with its duration and error,
// a wrapped database driver each statement; errors are told apart with [errors.Is] and
// [errors.As] (ErrRefused with the state met, ErrLeaseLost, ErrAttemptLost, ErrLockTimeout: see package impl);
// LockConfig.OnRenewError counts renewals that failed; impl.RunWorker and impl.RunReaper tell each Work and Pass to a function.
//
// # Why the queue is recoverable at every single crash
//
// A task is in two places, the queue in Redis and its row, and nothing writes both at once. So at
// each moment one of them is the truth, and the other follows it. The attempt ties them: a number that the claim
// script alone gives out, once, and on which every write to the row is conditional.
//
//   - Whether a task exists: the row. Add inserts it first. If Add dies then, a reaper finds a
//     row that the queue does not know, and adds it.
//   - Who may try it: the queue. The claim moves the task from ready to active, stamps it and counts the
//     attempt in one script. If the worker dies before it has said so in the row, the row is pending with a lower
//     attempt; the worker's next claim gets the same attempt, or the reaper ends it in the row after the Timeout.
//   - How the attempt ended: the row. The worker's UPDATE to done, pending or dead asks that the row
//     be processing with this attempt and this worker; the reaper's asks for an attempt no later than the one it saw. Of all who
//     want to end an attempt exactly one changes the row. If a worker dies while processing, the reaper is that one.
//   - Where the task is afterwards: the row again, until the queue has followed. Whoever ended the attempt settles it in
//     the queue, on condition that this attempt is still the last one and active. If it dies in
//     between, the next reaper's UPDATE changes nothing, it reads how the row ended, and settles that.
//
// A worker that was only slow is harmless: the row has a later attempt, or is not
// processing any more, its UPDATE changes nothing, and it gets ErrAttemptLost. A settling that comes late meets another attempt and
// moves nothing. So any step may be lost, repeated or late, and the tests kill each process before and after each of its steps.
package lua
