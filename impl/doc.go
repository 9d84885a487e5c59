// Package impl is the vocabulary of the systems whose races are studied: the
// interface each version of a system implements, the types it speaks in, the
// keys it uses, and the errors by which it refuses.
//
// The versions live beside it and are ordinary production code on a
// [github.com/redis/go-redis/v9] client and a [database/sql.DB]:
//
//   - naive reads, decides in the process, then writes, one command at a time;
//   - setnx claims a pointer atomically and does the rest like naive;
//   - lua decides and writes inside one script on the server.
//
// Package calibration is apart: the smallest systems that can go wrong, both ways.
//
// # The asynchronous job
//
// [Jobs] starts a long job for a target and returns its id at once. A worker
// reports each item's result with Progress and ends the job with Succeed or
// Fail; a client polls Status; when the job is SUCCESS, Apply writes its results
// to the database. One target has at most one running job, named by a pointer.
//
//	job:{target}:running        string, TTL  id of the running job: the pointer
//	job:{target}:<id>           hash, TTL    status, total, processed, created_at (Unix ms)
//	job:{target}:<id>:results   hash, TTL    item index -> text
//
// # The lock with a state key
//
// [StatusLock] lets any number of requests process a datum at a time, or any
// number cancel it, and never both. [Mutex] is a lock with a lease, on which the
// published design builds it.
//
//	status:{id}            string, TTL       PROCESSING or CANCELLING; absent is WAITING
//	status:{id}:lock       string, TTL       token of the owner of the mutex
//	status:{id}:holders    sorted set, TTL   those who compute, and when their leases end (lua)
//	status:{id}:unlocked   channel           the mutex was given back
//
// # The reliable queue
//
// [Queue] hands tasks to workers and puts back what a dead worker had; a row in
// the table tasks (see [MigrateTasks]) says how far each is.
//
//	queue:{name}:ready            list               tasks that wait, the next one last
//	queue:{name}:active           list, sorted set   tasks that a worker has (naive, lua)
//	queue:{name}:start_at         hash               when each was taken (naive)
//	queue:{name}:done, :dead      sorted sets        tasks at their end (lua)
//	queue:{name}:attempts         hash               number of each task's last attempt (lua)
//	queue:{name}:wake             list               hints for idle workers (lua)
//	queue:{name}:claim:<worker>   hash, TTL          what the worker took last (lua)
//
// # Keys
//
// The braces are part of a key: they are the hash tag that keeps all keys of
// one target, datum or queue in one slot of a Redis Cluster.
package impl
