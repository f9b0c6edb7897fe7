-- Applies one step to each key. Screenings do not wait for it.
-- Returns the indexes of profiles whose tail has grown long.
-- The last argument is the deadline of `fence.lua`.
-- ARGV[1]: the steps in the order of KEYS, each as operation (1 byte), length (2 bytes) and content. Operations:
--   S  Settles a record: patches the record at the given offset, or finds it by its sequence number.
--   E  Renews the expiry of the key.
--   C  Cancels a record: cuts it out.
--   P  Puts a record unless it is there.
--   L  Puts a label unless it is there, and only where there is a history.
--   U  Appends a screening to the profile of a user; a retry, only where it is missing.
--   F  Settles a screening in the profile of a user.
--   K  Replaces the base and the records compacted into it, unless another process has replaced that base.
-- A step may arrive late, after a rebuild has counted its record. A record up to the rebuilt sequence number is not
-- put again.

-- Finds a record by its sequence number, from the end: it is nearly always among the last.
local function find(value, seq, size)
  local _, length = struct.unpack('<I4I4', value)
  for at = #value - size + 1, tail_from(length), -size do
    if string.sub(value, at, at + 7) == seq then return at end
  end
end
-- Finds a record of a profile. Each starts with the length of the rest and its sequence number.
local function find_in_profile(value, seq)
  local _, length = struct.unpack('<I4I4', value)
  local at = tail_from(length)
  while at < #value do
    if string.sub(value, at + 2, at + 9) == seq then return at end
    at = at + 2 + struct.unpack('<I2', value, at)
  end
end
local function is_rebuilt(value, seq)
  local _, _, _, rebuilt = read_header(value)
  return struct.unpack('<d', seq) <= rebuilt
end

-- A whole number as text: Redis formats a number with all digits of a double, which takes longer than the command.
local function text(number) return string.format('%d', number) end

local long, at = {}, 1
for i = 1, #KEYS do
  local key, op, step = KEYS[i], struct.unpack('<c1I2c0', ARGV[1], at)
  at = at + 3 + #step
  if op == 'S' then
    local offset, size, renew, seq, patch = struct.unpack('<I4I2Bc8c3', step)
    if redis.call('GETRANGE', key, text(offset), text(offset + 7)) ~= seq then
      local value = redis.call('GET', key)
      local found = value and find(value, seq, size)
      offset = found and found - 1
    end
    if offset then redis.call('SETRANGE', key, text(offset + ACTIVITY), patch) end
    if renew == 1 then redis.call('PEXPIRE', key, KEPT_MS) end
  elseif op == 'E' then
    redis.call('PEXPIRE', key, KEPT_MS)
  elseif op == 'U' then
    local renew, is_retry, record = string.byte(step, 1), string.byte(step, 2), string.sub(step, 3)
    local known = is_retry == 1 and redis.call('GET', key)
    local seq = string.sub(record, 3, 10)
    if not (known and (is_rebuilt(known, seq) or find_in_profile(known, seq))) then
      local total = redis.call('APPEND', key, record)
      if total == #record then
        redis.call('SET', key, new_header(seq) .. record, 'PX', KEPT_MS)
      else
        if renew == 1 then redis.call('PEXPIRE', key, KEPT_MS) end
        if total > LONG_PROFILE and total - struct.unpack('<I4', redis.call('GETRANGE', key, 4, 7)) > LONG_PROFILE then
          long[#long + 1] = i
        end
      end
    end
  elseif op == 'F' then
    local value = redis.call('GET', key)
    local found = value and find_in_profile(value, step)
    if found then redis.call('SETRANGE', key, found - 1 + PROFILE_SETTLED, '\1') end
  elseif op == 'K' then
    local value = redis.call('GET', key)
    local read, compacted, through, kept, next = struct.unpack('<I4I4dI2', step)
    if value and struct.unpack('<I4', value) == read then
      local version, length, _, rebuilt = read_header(value)
      local tail, records = HEADER + length, {}
      for record = 1, kept do
        local from, to
        from, to, next = struct.unpack('<I4I4', step, next)
        records[record] = string.sub(value, tail + from + 1, tail + to)
      end
      records[kept + 1] = string.sub(value, tail + compacted + 1)
      local base = string.sub(step, next)
      local header = make_header(version + 1, #base, through, rebuilt)
      redis.call('SET', key, header .. base .. table.concat(records), 'KEEPTTL')
    end
  else
    local value = redis.call('GET', key)
    local size, record = struct.unpack('<I2', step), string.sub(step, 3)
    local found = value and find(value, string.sub(record, 1, 8), size)
    if op == 'C' then
      if found then
        local version, base, through, rebuilt = read_header(value)
        local rest = string.sub(value, HEADER + 1, found - 1) .. string.sub(value, found + size)
        if #rest == 0 and base ~= ISOLATED then redis.call('DEL', key)
        else redis.call('SET', key, make_header(version + 1, base, through, rebuilt) .. rest, 'KEEPTTL') end
      end
    elseif not found then
      if value then
        if not is_rebuilt(value, string.sub(record, 1, 8)) then redis.call('APPEND', key, record) end
      elseif op == 'P' then redis.call('SET', key, new_header(record) .. record, 'PX', KEPT_MS) end
    end
  end
end
return long
