-- take: take a lock, or learn how long it can still be another's.
--
-- KEYS[1] -> status:{id}:lock     token of the owner
-- --
-- ARGV[1] -> token
-- ARGV[2] -> lease, milliseconds
--
-- Returns {code, detail}:
--   {"acquired", token}    the lock is the token's, for the whole lease (also when this call is sent a second time)
--   {"taken", ms}          another has it, for so many milliseconds at most; -1 when it has no end

local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return {'taken', tostring(redis.call('PTTL', KEYS[1]))}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {'acquired', ARGV[1]}
