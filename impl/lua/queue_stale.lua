-- queue_stale: list the attempts that have been active for too long, oldest first.
--
-- KEYS[1] -> queue:{name}:active       sorted set: task, and when it was taken
-- KEYS[2] -> queue:{name}:attempts     hash: task, number of its last attempt
-- KEYS[3] -> queue:{name}:dead         sorted set: task, and since when
-- --
-- ARGV[1] -> how long is too long, milliseconds
-- ARGV[2] -> how many to look at
--
-- Returns {code, detail, ...}:
--   {"done", aside, task, attempt, task, attempt, ...}    so many entries were no tasks and were put among the dead
--
-- Nothing else is changed: an attempt ends when its row says so.

local time = redis.call('TIME')
local now = tonumber(time[1] .. string.sub('00000' .. time[2], -6, -4))
local reply = {'done', ''}
local aside = 0
for _, task in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - tonumber(ARGV[1])), 'LIMIT', 0, ARGV[2])) do
  if task == '' or #task > 18 or string.find(task, '%D') or string.sub(task, 1, 1) == '0' then
    redis.call('ZREM', KEYS[1], task)
    redis.call('ZADD', KEYS[3], now, task)
    aside = aside + 1
  else
    redis.call('HSETNX', KEYS[2], task, 0)
    reply[#reply + 1] = task
    reply[#reply + 1] = redis.call('HGET', KEYS[2], task)
  end
end
reply[2] = tostring(aside)
return reply
