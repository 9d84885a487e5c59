-- transition: move a job from one state to another, if it is in the first and has the right.
--
-- KEYS[1] -> job:{target}:<id>         the hash of the job
-- KEYS[2] -> job:{target}:running      the pointer
-- --
-- ARGV[1] -> from, the state the job must be in
-- ARGV[2] -> to, the new state; SUCCESS needs the pointer to name this job, FAILED does not
-- ARGV[3] -> id of the job
--
-- Returns {code, detail}:
--   {"done", to}           state written; the pointer deleted if it named this job
--   {"already", to}        the job was in the new state before; nothing written
--   {"refused", status}    the job is in neither state; nothing written
--   {"not_owner", id}      SUCCESS without the pointer, which names id ("" for none); nothing written
--   {"not_found", ""}      no such job; nothing written

local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return {'not_found', ''}
end
if status == ARGV[2] then
  return {'already', status}
end
if status ~= ARGV[1] then
  return {'refused', status}
end
local owner = redis.call('GET', KEYS[2])
if ARGV[2] == 'SUCCESS' and owner ~= ARGV[3] then
  return {'not_owner', owner or ''}
end
redis.call('HSET', KEYS[1], 'status', ARGV[2])
if owner == ARGV[3] then
  redis.call('DEL', KEYS[2])
end
return {'done', ARGV[2]}
