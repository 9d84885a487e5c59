-- leave: take a person off call, if somebody else stays.
--
-- KEYS[1]  -> the person
-- KEYS[2…] -> everybody
-- --
-- ARGV[1] -> the value of who is on call
-- ARGV[2] -> the value of who is not
--
-- Returns 1 when the person is off call now, 0 when nobody else would be on call.

for i = 2, #KEYS do
  if KEYS[i] ~= KEYS[1] and redis.call('GET', KEYS[i]) == ARGV[1] then
    redis.call('SET', KEYS[1], ARGV[2])
    return 1
  end
end
return 0
