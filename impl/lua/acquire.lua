-- acquire: return the running job of a target, or create a new one, in one step.
--
-- KEYS[1] -> job:{target}:running      the pointer
-- KEYS[2] -> job:{target}:<new id>     the hash to create
-- KEYS[3] -> job:{target}:<seen id>    the hash of the job that the caller believes the pointer
--                                      names; KEYS[2] again when it believes that there is none
-- --
-- ARGV[1] -> new id
-- ARGV[2] -> seen id, "" for none
-- ARGV[3] -> total number of items
-- ARGV[4] -> created_at, Unix milliseconds of the caller's clock
-- ARGV[5] -> TTL of the hash, milliseconds
-- ARGV[6] -> TTL of the pointer, milliseconds
--
-- Returns {code, detail}:
--   {"acquired", new id}   pointer and hash written (also when this very call is sent a second time)
--   {"reused", id}         the pointer names this RUNNING job; nothing written
--   {"moved", id}          the pointer names another job than the seen one; nothing written, call again
--   {"taken", new id}      the new id's hash exists and the pointer does not name it; nothing written
--
-- Why a seen id: the status that decides is in the hash of the job that the pointer names, and a
-- script must not build a key from what it reads, since Redis Cluster (and whoever else routes or
-- tracks by key) has to know all keys from KEYS. So the caller guesses, and the guess is verified here.
--
-- Why not TIME: created_at decides only when a poll may give the job up; who wins is decided by
-- status and pointer. Clocks that differ shift the deadline by their difference and break nothing,
-- and the deadline is judged by the same kind of clock that wrote it.

local current = redis.call('GET', KEYS[1])
if current == ARGV[1] then
  return {'acquired', ARGV[1]}
end
if current and current ~= ARGV[2] then
  return {'moved', current}
end
if current and redis.call('HGET', KEYS[3], 'status') == 'RUNNING' then
  return {'reused', current}
end
if redis.call('EXISTS', KEYS[2]) == 1 then
  return {'taken', ARGV[1]}
end
redis.call('HSET', KEYS[2], 'status', 'RUNNING', 'total', ARGV[3], 'processed', 0, 'created_at', ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[5])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[6])
return {'acquired', ARGV[1]}
