-- Returns the clock of the server that holds a key, as seconds and microseconds. A script, because a cluster routes
-- commands by their keys, and TIME has none.
return redis.call('TIME')
