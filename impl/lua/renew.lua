-- renew: lengthen the lease of a holder, if it still stands.
--
-- KEYS[1] -> status:{id}             the state
-- KEYS[2] -> status:{id}:holders     sorted set: holder, and when its lease ends
-- --
-- ARGV[1] -> token of the holder
-- ARGV[2] -> its lease from now on, milliseconds
--
-- Returns {code, detail}:
--   {"done", end}    the lease now ends then, milliseconds of the server's clock
--   {"lost", ""}     the lease has run out, or the server lost the state; the holder may not go on

local time = redis.call('TIME')
local now = tonumber(time[1] .. string.sub('00000' .. time[2], -6, -4))
local ends = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not ends or tonumber(ends) <= now or redis.call('EXISTS', KEYS[1]) == 0 then
  return {'lost', ''}
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[2]), ARGV[1])
local longest = tonumber(redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
redis.call('PEXPIRE', KEYS[1], longest - now)
redis.call('PEXPIRE', KEYS[2], longest - now)
return {'done', tostring(now + tonumber(ARGV[2]))}
