-- release: give a lock back, if it is still the caller's.
--
-- KEYS[1] -> the lock
-- --
-- ARGV[1] -> the caller
--
-- Returns 1 when the lock was the caller's and is free now, else 0.

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
