-- Takes tokens from a bucket that refills steadily. Returns how many were granted and how many are left.
-- ARGV: the time in milliseconds, tokens per minute, tokens wanted.
-- The clocks of processes differ a little: a clock behind the bucket's refills nothing twice. A clock behind by more
-- than a minute was set back, and the bucket follows it.
local now, most, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local value = redis.call('GET', KEYS[1])
local left, at = most, now
if value then left, at = struct.unpack('<dd', value) end
left = math.min(most, left + math.max(0, now - at) * most / 60000)
if now > at or at - now > 60000 then at = now end
local granted = math.min(wanted, math.floor(left))
left = left - granted
redis.call('SET', KEYS[1], struct.pack('<dd', left, at), 'PX', 120000)
return granted .. ' ' .. string.format('%.17g', left)
