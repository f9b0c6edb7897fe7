-- Returns the value of each key as it was, and appends the new records to it.
-- ARGV[1]: the records of each key in the order of KEYS, each key's preceded by their length (2 bytes).
-- ARGV[2]: a field of the last key, which is a hash then and has no records; empty where all keys have records. Its
-- value is returned last.
-- The last argument is the deadline of `fence.lua`.
local call, unpacked, all, field, at = redis.call, struct.unpack, ARGV[1], ARGV[2], 1
local count = field == '' and #KEYS or #KEYS - 1
local values = call('MGET', unpack(KEYS, 1, count))
for i = 1, count do
  local key, records = KEYS[i]
  records, at = unpacked('<I2c0', all, at)
  if values[i] then call('APPEND', key, records) else call('SET', key, new_header(records) .. records, 'PX', KEPT_MS) end
end
if field ~= '' then values[#KEYS] = call('HGET', KEYS[#KEYS], field) end
return values
