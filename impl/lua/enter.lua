-- enter: let a holder compute on a datum in a state, unless others do in another state.
--
-- KEYS[1] -> status:{id}             the state
-- KEYS[2] -> status:{id}:holders     sorted set: holder, and when its lease ends
-- --
-- ARGV[1] -> state wanted
-- ARGV[2] -> token of the holder
-- ARGV[3] -> its lease, milliseconds
--
-- Returns {code, detail}:
--   {"done", holders}     the holder is in, and the state is set (also when this very call is sent a second time)
--   {"refused", state}    holders whose leases stand have this other state; nothing changed for them. A state of
--                         "" means that the server lost it, by an eviction: nobody enters till the leases end
--
-- Why TIME: leases of different holders are compared with each other, so they are all of one clock. The
-- milliseconds are put together from digits, since a number with a fraction is not the same text everywhere.

local time = redis.call('TIME')
local now = tonumber(time[1] .. string.sub('00000' .. time[2], -6, -4))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local holders = redis.call('ZCARD', KEYS[2])
local met = redis.call('GET', KEYS[1])
if holders > 0 and met ~= ARGV[1] then
  return {'refused', met or ''}
end
redis.call('ZADD', KEYS[2], now + tonumber(ARGV[3]), ARGV[2])
-- Both keys live as long as the longest lease, so that the state of holders who all died is gone with it.
local longest = tonumber(redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', longest - now)
redis.call('PEXPIRE', KEYS[2], longest - now)
return {'done', tostring(redis.call('ZCARD', KEYS[2]))}
