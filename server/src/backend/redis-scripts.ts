import { COUNTED, HEADER, KEPT_MS, LONG_PROFILE } from './redis-records.ts';

/**
 * What happens in Redis: reading, appending and cutting of bytes, each as one step. Nothing here knows what a record means. Positions in Lua
 * begin with 1, offsets in Redis with 0.
 */
const COMMON = `
local HEADER, COUNTED, KEPT = ${HEADER}, ${COUNTED}, ${KEPT_MS}
local function parts(value) return struct.unpack('<I4I4dd', value) end
local function head(version, length, through, whole)
  return struct.pack('<I4I4dd', version % 4294967296, length, through, whole)
end
local NEW = head(1, 0, 0, 0)
`;

/** Finds a record by its number, from the end: what is looked for is nearly always among the last. */
const FIND = `
local function find(value, seq, size)
  local _, length = struct.unpack('<I4I4', value)
  for at = #value - size + 1, HEADER + length + 1, -size do
    if string.sub(value, at, at + 7) == seq then return at end
  end
end
`;

/** Answers with the value under each key, and appends to it the records meant for it. ARGV: these, in the order of the keys, with their length in front. */
const COUNT = `${COMMON}
local call, unpacked, all, at = redis.call, struct.unpack, ARGV[1], 1
local values = call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
  local records
  records, at = unpacked('<I2c0', all, at)
  if values[i] then call('APPEND', key, records) else call('SET', key, NEW .. records, 'PX', KEPT) end
end
return values
`;

/**
 * What is not waited for: one step for each key, in ARGV one behind the other: what to do, the length of the rest, the rest. S settles a record, found where it was
 * appended or else by its number; C cuts one out; P and L put one where it is not yet, L only where there is a history; U adds to a profile. K puts
 * a base in place of the one it was made from and the records folded into it, if nobody else did. What is put late may have been counted by one who made the history anew.
 * Answers with which profiles have grown long.
 */
const APPLY = `${COMMON}${FIND}
local LONG = ${LONG_PROFILE}
local long, at = {}, 1
local function isIn(value, seq)
  local _, _, _, whole = parts(value)
  return struct.unpack('<d', seq) <= whole
end
for i = 1, #KEYS do
  local key, op, step = KEYS[i], struct.unpack('<c1I2c0', ARGV[1], at)
  at = at + 3 + #step
  if op == 'S' then
    local offset, size, renew, seq, patch = struct.unpack('<I4I2Bc8c3', step)
    if redis.call('GETRANGE', key, offset, offset + 7) ~= seq then
      local value = redis.call('GET', key)
      local found = value and find(value, seq, size)
      offset = found and found - 1
    end
    if offset then redis.call('SETRANGE', key, offset + COUNTED, patch) end
    if renew == 1 then redis.call('PEXPIRE', key, KEPT) end
  elseif op == 'U' then
    local renew, again, record = string.byte(step, 1), string.byte(step, 2), string.sub(step, 3)
    local known = again == 1 and redis.call('GET', key)
    local seq = string.sub(record, 3, 10)
    if not (known and (isIn(known, seq) or string.find(known, seq, HEADER + 1, true))) then
      local total = redis.call('APPEND', key, record)
      if total == #record then
        redis.call('SET', key, NEW .. record, 'PX', KEPT)
      else
        if renew == 1 then redis.call('PEXPIRE', key, KEPT) end
        if total > LONG and total - struct.unpack('<I4', redis.call('GETRANGE', key, 4, 7)) > LONG then
          long[#long + 1] = i
        end
      end
    end
  elseif op == 'K' then
    local value = redis.call('GET', key)
    local read, folded, through = struct.unpack('<I4I4d', step)
    if value and struct.unpack('<I4', value) == read then
      local version, length, _, whole = parts(value)
      local base, rest = string.sub(step, 17), string.sub(value, HEADER + length + folded + 1)
      redis.call('SET', key, head(version + 1, #base, through, whole) .. base .. rest, 'KEEPTTL')
    end
  else
    local value = redis.call('GET', key)
    local size, record = struct.unpack('<I2', step), string.sub(step, 3)
    local found = value and find(value, string.sub(record, 1, 8), size)
    if op == 'C' then
      if found then
        local version, base, through, whole = parts(value)
        local rest = string.sub(value, HEADER + 1, found - 1) .. string.sub(value, found + size)
        if #rest == 0 then redis.call('DEL', key)
        else redis.call('SET', key, head(version + 1, base, through, whole) .. rest, 'KEEPTTL') end
      end
    elseif not found then
      if value then
        if not isIn(value, string.sub(record, 1, 8)) then redis.call('APPEND', key, record) end
      elseif op == 'P' then redis.call('SET', key, NEW .. record, 'PX', KEPT) end
    end
  end
end
return long
`;

/**
 * Puts what was counted anew, up to a number, in place of what there is up to that number. KEYS: what to replace, and the new base. ARGV: that number,
 * the length of a record or 0 where each tells its own, and 1 if also where the base holds later ones, which are then lost. Answers with
 * whether it was done.
 */
const RESTORE = `${COMMON}
local base, value = redis.call('GET', KEYS[2]), redis.call('GET', KEYS[1])
if not base then return 2 end
local upTo, size = struct.unpack('<d', ARGV[1]), tonumber(ARGV[2])
local version, kept = 0, {}
if value then
  local length, through
  version, length, through = parts(value)
  if through > upTo and ARGV[3] ~= '1' then return 0 end
  local at = HEADER + length + 1
  while at <= #value do
    local step = size > 0 and size or 2 + struct.unpack('<I2', value, at)
    local seq = struct.unpack('<d', value, at + (size > 0 and 0 or 2))
    if seq > upTo then kept[#kept + 1] = string.sub(value, at, at + step - 1) end
    at = at + step
  end
end
redis.call('SET', KEYS[1], head(version + 1, #base, upTo, upTo) .. base .. table.concat(kept), 'PX', KEPT)
redis.call('DEL', KEYS[2])
return 1
`;

/**
 * Takes up to so many from a bucket that refills steadily. ARGV: the time, how many a minute refills, how many are wanted. Clocks of processes
 * differ a little, which refills nothing twice; one that is behind by more than a minute was set back, and is gone by from then on.
 */
const TAKE = `
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
`;

/** Puts a value in place of another, in a field, if it still is that. ARGV: the field and both. Answers with whether it was. */
const SWAP = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`;

export const SCRIPTS = { count: COUNT, apply: APPLY, restore: RESTORE, take: TAKE, swap: SWAP } as const;
export type ScriptName = keyof typeof SCRIPTS;
