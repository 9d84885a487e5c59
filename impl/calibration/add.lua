-- add: read a counter and write it back, greater by one.
--
-- KEYS[1] -> the counter
--
-- Returns the new value.

local n = tonumber(redis.call('GET', KEYS[1]) or '0') + 1
redis.call('SET', KEYS[1], n)
return n
