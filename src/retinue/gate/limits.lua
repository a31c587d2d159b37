-- Decides on requests one after the other: each counts in every window whose key is given, or in none when one is full.
-- KEYS: of each request the list of times of the minute; for an account also the hashes of slots of its hour and its day.
-- ARGV: the time in microseconds or '' for the server's own; of each request 1 to refuse or 0 only to count, how many
-- keys it has, and a limit for each.
-- Returns of each request: which of its keys refused or 0; requests in the minute; the microsecond when one is allowed
-- if refused, else when the oldest leaves the minute; and the present microsecond.
local MINUTE = 60000000
local WINDOWS = {nil, {width = 60000000, slots = 60}, {width = 600000000, slots = 144}}

local now = tonumber(ARGV[1])
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

-- Which window refuses, the one with the longest wait of several; when that ends; and requests in the minute.
local function refusal(keys, limits)
  local refused, free_at, in_minute = 0, 0, trim_minute(keys[1])
  if in_minute >= limits[1] then refused, free_at = 1, minute_end(keys[1], in_minute - limits[1]) end
  for i = 2, #keys do
    local total = count_slots(keys[i], WINDOWS[i])
    local free = total >= limits[i] and slots_free_at(keys[i], WINDOWS[i], limits[i], total) or 0
    if free > free_at then refused, free_at = i, free end
  end
  return refused, free_at, in_minute
end

local function count(keys, limits)
  redis.call('RPUSH', keys[1], text(now))
  redis.call('LTRIM', keys[1], -limits[1], -1)
  redis.call('EXPIRE', keys[1], 61)
  for i = 2, #keys do
    local window = WINDOWS[i]
    local slot = text(math.floor(now / window.width))
    redis.call('HINCRBY', keys[i], slot, 1)
    redis.call('HINCRBY', keys[i], 'total', 1)
    redis.call('HSET', keys[i], 'slot', slot)
    redis.call('EXPIRE', keys[i], (window.slots + 1) * window.width / 1000000 + 1)
  end
end

local function decide(keys, limits, refuse)
  local refused, free_at, in_minute = refusal(keys, limits)
  if refuse and refused > 0 then return {refused, in_minute, free_at, now} end
  count(keys, limits)
  return {0, math.min(in_minute + 1, limits[1]), minute_end(keys[1], 0), now}
end

local answers, key, arg = {}, 0, 2
while arg <= #ARGV do
  local keys, limits = {}, {}
  for i = 1, tonumber(ARGV[arg + 1]) do
    keys[i], limits[i] = KEYS[key + i], tonumber(ARGV[arg + 1 + i])
  end
  answers[#answers + 1] = decide(keys, limits, ARGV[arg] == '1')
  key, arg = key + #keys, arg + 2 + #keys
end
return answers
