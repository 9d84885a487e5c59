-- queue_add: put a task into the queue, unless the queue knows it.
--
-- KEYS[1] -> queue:{name}:attempts     hash: task, number of its last attempt
-- KEYS[2] -> queue:{name}:ready        list: tasks that wait for a worker, the next one last
-- KEYS[3] -> queue:{name}:wake         list: one element for each idle worker to wake
-- --
-- ARGV[1] -> task
-- ARGV[2] -> number of its last attempt by its row, 0 for a new one
--
-- Returns {code, detail}:
--   {"done", attempt}     put into ready
--   {"known", attempt}    it is in ready, active, done or dead; nothing written

if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then
  return {'known', redis.call('HGET', KEYS[1], ARGV[1])}
end
local ready = redis.call('LPUSH', KEYS[2], ARGV[1])
if redis.call('LLEN', KEYS[3]) < ready then
  redis.call('LPUSH', KEYS[3], '1')
end
return {'done', ARGV[2]}
