-- Replaces the records of a key up to a sequence number by a rebuilt base. Later records stay in the tail.
-- KEYS: the live key, and the staging key that holds the new base.
-- ARGV: that sequence number, the size of a record (0 where each record starts with its length), and '1' to replace
-- a base that holds later records too, which loses those.
-- Returns 1 when replaced, 0 when the base holds later records, 2 when there is no new base.
local base, value = redis.call('GET', KEYS[2]), redis.call('GET', KEYS[1])
local up_to, size = struct.unpack('<d', ARGV[1]), tonumber(ARGV[2])
if not base then
  -- Of a damaged value nothing is stored: only the records since then are left.
  local isolated = value and select(2, read_header(value)) == ISOLATED
  if isolated and #value == HEADER then redis.call('DEL', KEYS[1])
  elseif isolated then
    local version = read_header(value)
    redis.call('SET', KEYS[1], make_header(version + 1, 0, 0, up_to) .. string.sub(value, HEADER + 1), 'KEEPTTL')
  end
  return 2
end
local version, kept = 0, {}
if value then
  local length, through
  version, length, through = read_header(value)
  if through > up_to and ARGV[3] ~= '1' then return 0 end
  local at = tail_from(length)
  while at <= #value do
    local step = size > 0 and size or 2 + struct.unpack('<I2', value, at)
    local seq = struct.unpack('<d', value, at + (size > 0 and 0 or 2))
    if seq > up_to then kept[#kept + 1] = string.sub(value, at, at + step - 1) end
    at = at + step
  end
end
redis.call('SET', KEYS[1], make_header(version + 1, #base, up_to, up_to) .. base .. table.concat(kept), 'PX', KEPT_MS)
redis.call('DEL', KEYS[2])
return 1
