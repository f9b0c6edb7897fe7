-- Deletes the records of a key up to a sequence number, with the base. Later records stay in the tail.
-- ARGV: that sequence number, and the size of a record (0 where each record starts with its length).
local value = redis.call('GET', KEYS[1])
if not value then return 0 end
local up_to, size, kept = struct.unpack('<d', ARGV[1]), tonumber(ARGV[2]), {}
local version, length = read_header(value)
local at = tail_from(length)
while at <= #value do
  local step = size > 0 and size or 2 + struct.unpack('<I2', value, at)
  local seq = struct.unpack('<d', value, at + (size > 0 and 0 or 2))
  if seq > up_to then kept[#kept + 1] = string.sub(value, at, at + step - 1) end
  at = at + step
end
if #kept == 0 then redis.call('DEL', KEYS[1])
else redis.call('SET', KEYS[1], make_header(version + 1, 0, 0, up_to) .. table.concat(kept), 'KEEPTTL') end
return 1
