-- Prelude of count, apply, restore and isolate: reads and writes the header of a value.
-- `scripts.ts` puts the constants in front.
local function read_header(value) return struct.unpack('<I4I4dd', value) end
local function make_header(version, length, through, rebuilt)
  return struct.pack('<I4I4dd', version % 4294967296, length, through, rebuilt)
end
local NEW_HEADER = make_header(1, 0, 0, 0)
-- The length of the base of a damaged value until it is rebuilt. It has no base.
local ISOLATED = 4294967295
local function tail_from(length) return HEADER + (length == ISOLATED and 0 or length) + 1 end
