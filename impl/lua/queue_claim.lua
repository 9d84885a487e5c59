-- queue_claim: give the next task to a worker, or the one again that it has.
--
-- KEYS[1] -> queue:{name}:ready             list: tasks that wait for a worker, the next one last
-- KEYS[2] -> queue:{name}:active            sorted set: task, and when it was taken
-- KEYS[3] -> queue:{name}:attempts          hash: task, number of its last attempt
-- KEYS[4] -> queue:{name}:done              sorted set: task, and since when
-- KEYS[5] -> queue:{name}:dead              sorted set: task, and since when
-- KEYS[6] -> queue:{name}:wake              list: one element for each idle worker to wake
-- KEYS[7] -> queue:{name}:claim:<worker>    hash: id and attempt that the worker took last
-- --
-- ARGV[1] -> TTL of the claim, milliseconds
--
-- Returns {code, detail, ...}:
--   {"done", task, attempt, taken at}    the worker has the task, since then (milliseconds of the server's clock)
--   {"empty", ""}                        nothing is ready
--   {"again", ""}                        a hundred entries that were no tasks, or known elsewhere, are out of the way
--
-- An entry of ready that is no task goes to dead; one whose task is active, done or dead as well is a duplicate and
-- is dropped. Why TIME: the age of an attempt is judged by the clock that began it.

local held = redis.call('HGET', KEYS[7], 'id')
if held then
  local since = redis.call('ZSCORE', KEYS[2], held)
  local attempt = redis.call('HGET', KEYS[3], held)
  if since and attempt == redis.call('HGET', KEYS[7], 'attempt') then
    return {'done', held, attempt, since}
  end
end
local time = redis.call('TIME')
local now = tonumber(time[1] .. string.sub('00000' .. time[2], -6, -4))
for _ = 1, 100 do
  local task = redis.call('RPOP', KEYS[1])
  if not task then
    redis.call('DEL', KEYS[6])
    return {'empty', ''}
  end
  if task == '' or #task > 18 or string.find(task, '%D') or string.sub(task, 1, 1) == '0' then
    redis.call('ZADD', KEYS[5], now, task)
  elseif not (redis.call('ZSCORE', KEYS[2], task) or redis.call('ZSCORE', KEYS[4], task) or redis.call('ZSCORE', KEYS[5], task)) then
    local attempt = tostring(redis.call('HINCRBY', KEYS[3], task, 1))
    redis.call('ZADD', KEYS[2], now, task)
    redis.call('HSET', KEYS[7], 'id', task, 'attempt', attempt)
    redis.call('PEXPIRE', KEYS[7], ARGV[1])
    return {'done', task, attempt, tostring(now)}
  end
end
return {'again', ''}
