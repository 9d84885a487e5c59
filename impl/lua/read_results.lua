-- read_results: read status, total and results of a job at one moment.
--
-- KEYS[1] -> job:{target}:<id>            the hash of the job
-- KEYS[2] -> job:{target}:<id>:results    item index -> text
-- --
-- No ARGV.
--
-- Returns {code, detail, ...}:
--   {"done", total, text of item 0, ..., text of item total-1}   SUCCESS, and every item is there
--   {"refused", status}                                          the job is not SUCCESS
--   {"incomplete", "<found> of <total>"}                         SUCCESS, but items (or the total) are missing
--   {"not_found", ""}                                            no such job

local status = redis.call('HGET', KEYS[1], 'status')
if not status then
  return {'not_found', ''}
end
if status ~= 'SUCCESS' then
  return {'refused', status}
end
local total = tonumber(redis.call('HGET', KEYS[1], 'total') or '0')
local reply = {'done', tostring(total)}
local found = 0
for item = 0, total - 1 do
  local text = redis.call('HGET', KEYS[2], tostring(item))
  if text then
    found = found + 1
    reply[#reply + 1] = text
  end
end
if found < total or total < 1 then
  return {'incomplete', found .. ' of ' .. total}
end
return reply
