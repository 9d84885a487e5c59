-- leave: remove one holder, and with the last one the state.
--
-- KEYS[1] -> status:{id}             the state
-- KEYS[2] -> status:{id}:holders     sorted set: holder, and when its lease ends
-- --
-- ARGV[1] -> token of the holder
--
-- Returns {code, detail}:
--   {"done", holders}    removed; so many are left, and with none the state is gone
--   {"lost", holders}    it was not there: it has left before, or its lease ran out and others were let in since

local time = redis.call('TIME')
local now = tonumber(time[1] .. string.sub('00000' .. time[2], -6, -4))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local removed = redis.call('ZREM', KEYS[2], ARGV[1])
local left = redis.call('ZCARD', KEYS[2])
if left == 0 then
  redis.call('DEL', KEYS[1])
else
  local longest = tonumber(redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
  redis.call('PEXPIRE', KEYS[1], longest - now)
  redis.call('PEXPIRE', KEYS[2], longest - now)
end
if removed == 0 then
  return {'lost', tostring(left)}
end
return {'done', tostring(left)}
