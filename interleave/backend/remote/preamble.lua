local redis = (function(R, ARGV)
  local us = tonumber(table.remove(ARGV))
  local ms = math.floor(us / 1000)
  local parked = 31536000000000
  local unit = {EXPIRE = 1000, EXPIREAT = 1000, PEXPIRE = 1, PEXPIREAT = 1, SETEX = 1000, PSETEX = 1,
    EX = 1000, EXAT = 1000, PX = 1, PXAT = 1}
  local function text(n) return string.format('%.0f', n) end
  local function whole(a, u)
    local n = tonumber(a)
    if n and n == math.floor(n) and n * u < 2 ^ 53 - parked and n * u > -2 ^ 53 then return n * u end
  end
  local function park(d, dead)
    if d < ms or dead and d == ms then return '1' end
    return text(d + parked)
  end
  local function options(a, from, dead)
    local i = from
    while i < #a do
      local word = string.upper(tostring(a[i]))
      if word == 'EX' or word == 'PX' or word == 'EXAT' or word == 'PXAT' then
        local n = whole(a[i + 1], unit[word])
        if not n or n <= 0 then return end
        if #word == 2 then n = n + ms end
        a[i], a[i + 1] = 'PXAT', park(n, dead)
        i = i + 1
      end
      i = i + 1
    end
  end
  local function expire(a, name)
    local n = #a >= 3 and whole(a[3], unit[name])
    if not n then return end
    if string.sub(name, -2) ~= 'AT' then n = n + ms end
    a[1], a[3] = 'PEXPIREAT', park(n, true)
  end
  local function setex(a, name)
    local n = #a == 4 and whole(a[3], unit[name])
    if not n or n <= 0 then return end
    a[1], a[3], a[4], a[5] = 'SET', a[4], 'PXAT', park(n + ms, false)
  end
  local before = {EXPIRE = expire, PEXPIRE = expire, EXPIREAT = expire, PEXPIREAT = expire, SETEX = setex, PSETEX = setex,
    SET = function(a) options(a, 4, false) end, GETEX = function(a) options(a, 3, true) end}
  function before.RESTORE(a)
    local n = #a >= 4 and whole(a[3], 1)
    if not n or n <= 0 then return end
    local absolute = false
    for i = 5, #a do absolute = absolute or string.upper(tostring(a[i])) == 'ABSTTL' end
    if not absolute then n = n + ms; a[#a + 1] = 'ABSTTL' end
    a[3] = park(n, true)
  end
  function before.XADD(a)
    for i = 3, #a do
      if a[i] == '*' then a[i] = text(ms) .. '-*' return end
    end
  end
  local after = {}
  function after.PEXPIRETIME(d) return d end
  function after.EXPIRETIME(d) return math.floor((d + 500) / 1000) end
  function after.PTTL(d) return math.max(d - ms, 0) end
  function after.TTL(d) return math.floor((math.max(d - ms, 0) + 500) / 1000) end
  local function through(call)
    return function(...)
      local a = {...}
      local name = string.upper(tostring(a[1]))
      if name == 'TIME' and #a == 1 then
        return {text(math.floor(us / 1000000)), text(us % 1000000)}
      end
      if after[name] and #a == 2 then
        local p = call('PEXPIRETIME', a[2])
        if type(p) == 'number' and p >= parked then p = after[name](p - parked) end
        return p
      end
      if before[name] then before[name](a, name) end
      return call(unpack(a))
    end
  end
  return setmetatable({call = through(R.call), pcall = through(R.pcall)}, {__index = R})
end)(redis, ARGV)
