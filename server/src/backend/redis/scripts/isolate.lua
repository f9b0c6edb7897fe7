-- Empties a damaged value, unless it was replaced since it was read. Its records are stored, so a repair counts them again. New
-- records are appended as to any value. Until the repair, the length of its base says that it cannot be read.
-- ARGV[1]: the damaged value as it was read. Records may have been appended since.
-- Returns 1 when the value is isolated now.
local value = redis.call('GET', KEYS[1])
if not value then return 0 end
if #value >= HEADER and select(2, read_header(value)) == ISOLATED then return 1 end
if string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
local version = #value >= 4 and struct.unpack('<I4', value) or 0
redis.call('SET', KEYS[1], make_header(version + 1, ISOLATED, 0, 0), 'PX', KEPT_MS)
return 1
