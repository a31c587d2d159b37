-- Counts one request in every window whose key is given, or in none when one of them is full.
-- KEYS: the list of times of the minute; then, for an account, the hashes of slots of its hour and its day.
-- ARGV: 1 to refuse or 0 only to count; the time in microseconds or '' for the server's own; a limit for each key.
-- Returns: the position of the key that refused or 0; requests in the minute; the microsecond when one request is
-- allowed if refused, else when the oldest leaves the minute; and the present microsecond.
local MINUTE = 60000000
local WINDOWS = {nil, {width = 60000000, slots = 60}, {width = 600000000, slots = 144}}

local refuse = ARGV[1] == '1'
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end

-- Numbers of this size would be written with an exponent.
local function text(number)
  return string.format('%.0f', number)
end

-- Times of the future come from a clock that was set back since: they count from now on.
local function trim_minute(key)
  local ahead = 0
  while tonumber(redis.call('LINDEX', key, -1) or 0) > now do
    redis.call('RPOP', key)
    ahead = ahead + 1
  end
  for _ = 1, ahead do redis.call('RPUSH', key, text(now)) end
  while tonumber(redis.call('LINDEX', key, 0) or now) <= now - MINUTE do redis.call('LPOP', key) end
  return redis.call('LLEN', key)
end

local function minute_end(key, index)
  return redis.call('LINDEX', key, index) + MINUTE
end

local function slots_of(key)
  local numbers, counts, fields = {}, {}, redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local number = tonumber(fields[i])
    if number then
      numbers[#numbers + 1] = number
      counts[number] = tonumber(fields[i + 1])
    end
  end
  table.sort(numbers)
  return numbers, counts
end

-- Drops what is too old, moves what is of the future into the present slot, and keeps the sum.
local function advance(key, slot, slots)
  local total, ahead = 0, 0
  local numbers, counts = slots_of(key)
  for _, number in ipairs(numbers) do
    if number >= slot - slots then total = total + counts[number] end
    if number > slot then ahead = ahead + counts[number] end
    if number < slot - slots or number > slot then redis.call('HDEL', key, text(number)) end
  end
  if ahead > 0 then redis.call('HINCRBY', key, text(slot), ahead) end
  if #numbers > 0 then redis.call('HSET', key, 'slot', text(slot), 'total', text(total)) end
  return total
end

local function count_slots(key, window)
  local slot = math.floor(now / window.width)
  local known = redis.call('HMGET', key, 'slot', 'total')
  if tonumber(known[1]) == slot then return tonumber(known[2]) end
  return advance(key, slot, window.slots)
end

local function slots_free_at(key, window, limit, total)
  local numbers, counts = slots_of(key)
  local excess = total - limit
  for _, number in ipairs(numbers) do
    excess = excess - counts[number]
    if excess < 0 then return (number + window.slots + 1) * window.width end
  end
end

local refused, free_at, in_minute = 0, 0, 0
for i, key in ipairs(KEYS) do
  local limit, free = tonumber(ARGV[i + 2]), nil
  if i == 1 then
    in_minute = trim_minute(key)
    if in_minute >= limit then free = minute_end(key, in_minute - limit) end
  else
    local total = count_slots(key, WINDOWS[i])
    if total >= limit then free = slots_free_at(key, WINDOWS[i], limit, total) end
  end
  if refuse and free and free > free_at then refused, free_at = i, free end
end
if refused > 0 then return {refused, in_minute, free_at, now} end

local limit = tonumber(ARGV[3])
redis.call('RPUSH', KEYS[1], text(now))
redis.call('LTRIM', KEYS[1], -limit, -1)
redis.call('EXPIRE', KEYS[1], 61)
for i = 2, #KEYS do
  local window = WINDOWS[i]
  local slot = text(math.floor(now / window.width))
  redis.call('HINCRBY', KEYS[i], slot, 1)
  redis.call('HINCRBY', KEYS[i], 'total', 1)
  redis.call('HSET', KEYS[i], 'slot', slot)
  redis.call('EXPIRE', KEYS[i], (window.slots + 1) * window.width / 1000000 + 1)
end
return {0, math.min(in_minute + 1, limit), minute_end(KEYS[1], 0), now}
