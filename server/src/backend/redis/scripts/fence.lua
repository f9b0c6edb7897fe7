-- First lines of count and apply: refuse a call that Redis reads after its caller has stopped waiting for it.
-- The caller retries the call and finds its records by their number. A call that ran after its retry would count twice.
-- The last argument: the time on the clock of this server at which the caller gives up, in milliseconds; 0 where unknown.
local deadline = tonumber(ARGV[#ARGV])
if deadline > 0 then
  local time = redis.call('TIME')
  if time[1] * 1000 + time[2] / 1000 > deadline then
    return redis.error_reply('LATE the call reached Redis too late, or the clock of Redis was changed')
  end
end
