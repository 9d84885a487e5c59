-- queue_settle: end an attempt here, where its row has ended it before: to ready, done or dead.
--
-- KEYS[1] -> queue:{name}:active       sorted set: task, and when it was taken
-- KEYS[2] -> queue:{name}:attempts     hash: task, number of its last attempt
-- KEYS[3] -> queue:{name}:ready        list: tasks that wait for a worker, the next one last
-- KEYS[4] -> queue:{name}:done         sorted set: task, and since when
-- KEYS[5] -> queue:{name}:dead         sorted set: task, and since when
-- KEYS[6] -> queue:{name}:wake         list: one element for each idle worker to wake
-- --
-- ARGV[1] -> task
-- ARGV[2] -> attempt
-- ARGV[3] -> where to: ready, done or dead
-- ARGV[4] -> number of the last attempt by the row, which the next one must be above
-- ARGV[5] -> how long done tasks are remembered, milliseconds
--
-- Returns {code, detail}:
--   {"done", where}       moved
--   {"moved", attempt}    this attempt is not active: it was settled before. The last one is this, "" for an unknown
--                         task; nothing written

local last = redis.call('HGET', KEYS[2], ARGV[1])
if last ~= ARGV[2] or redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then
  return {'moved', last or ''}
end
if tonumber(ARGV[4]) > tonumber(last) then
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[4])
end
local time = redis.call('TIME')
local now = tonumber(time[1] .. string.sub('00000' .. time[2], -6, -4))
if ARGV[3] == 'ready' then
  local ready = redis.call('LPUSH', KEYS[3], ARGV[1])
  if redis.call('LLEN', KEYS[6]) < ready then
    redis.call('LPUSH', KEYS[6], '1')
  end
elseif ARGV[3] == 'dead' then
  redis.call('ZADD', KEYS[5], now, ARGV[1])
else
  redis.call('ZADD', KEYS[4], now, ARGV[1])
  -- Two are forgotten for each that is done, so that what was left over gets fewer and no call takes long.
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now - tonumber(ARGV[5]), 'LIMIT', 0, 2)) do
    redis.call('ZREM', KEYS[4], old)
    redis.call('HDEL', KEYS[2], old)
  end
end
return {'done', ARGV[3]}
