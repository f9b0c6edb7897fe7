-- Prelude of count, apply, restore and isolate: reads and writes the header of a value.
-- `scripts.ts` puts the constants in front.
local function read_header(value) return struct.unpack('<I4I4dd', value) end
local function make_header(version, length, through, rebuilt)
  return struct.pack('<I4I4dd', version % 4294967296, length, through, rebuilt)
end
-- The header of a new value. Its version is the sequence number (8 bytes) of its first record: a compaction of a value
-- that had the key before, and was deleted, names another version.
local function new_header(seq) return make_header(struct.unpack('<d', seq), 0, 0, 0) end
-- The length of the base of a damaged value until it is rebuilt. It has no base.
local ISOLATED = 4294967295
local function tail_from(length) return HEADER + (length == ISOLATED and 0 or length) + 1 end
