-- Sets a hash field if it still has the expected value. Returns 1 when set, else 0.
-- ARGV: field, expected value, new value.
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
