-- release: give a lock back, if it is the token's, and wake those who wait for it.
--
-- KEYS[1] -> status:{id}:lock     token of the owner
-- --
-- ARGV[1] -> token
-- ARGV[2] -> channel of those who wait
--
-- Returns {code, detail}:
--   {"done", ""}            deleted, and said on the channel
--   {"not_owner", token}    it is another's, or nobody's (""); nothing done, nothing said

local owner = redis.call('GET', KEYS[1])
if owner ~= ARGV[1] then
  return {'not_owner', owner or ''}
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[1])
return {'done', ''}
