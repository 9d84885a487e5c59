-- progress: store the text of one item of a RUNNING job and count the item once.
--
-- KEYS[1] -> job:{target}:<id>            the hash of the job
-- KEYS[2] -> job:{target}:<id>:results    item index -> text
-- --
-- ARGV[1] -> item index, from 0
-- ARGV[2] -> text
--
-- Returns {code, detail}:
--   {"done", processed}    stored; processed counts different items, so a repeated one adds nothing
--   {"refused", status}    the job has ended; nothing written
--   {"range", total}       the job has no such item; nothing written
--   {"not_found", ""}      no such job; nothing written
--
-- The results get what is left of the TTL of the job, so that neither outlives the other.

local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return {'not_found', ''}
end
if status ~= 'RUNNING' then
  return {'refused', status}
end
local total = redis.call('HGET', KEYS[1], 'total') or '0'
if tonumber(ARGV[1]) >= tonumber(total) then
  return {'range', total}
end
local processed
if redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) == 1 then
  processed = redis.call('HINCRBY', KEYS[1], 'processed', 1)
else
  processed = redis.call('HGET', KEYS[1], 'processed')
end
local ttl = redis.call('PTTL', KEYS[1])
if ttl > 0 then
  redis.call('PEXPIRE', KEYS[2], ttl)
end
return {'done', tostring(processed)}
