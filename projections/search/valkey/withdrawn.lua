#!lua flags=allow-oom
--[[
Judges rows that were moved aside to be deleted: each now lies in the place of its draft. The move may have come late, and have
taken what a newer event wrote meanwhile, which goes back. The caller renames those.

KEYS  1..R rows 0.. of one memory, R+1..2R their drafts, then the cached vectors when ARGV[1] is '1'
ARGV  1 '1' when the cached vectors must be there   2 version up to which all rows go, or '' for those beyond the newest windows
      3.. numbers of the rows that were moved (from 1)

Returns the numbers of those that go back
]]
local guarded, version = ARGV[1] == '1', tonumber(ARGV[2])
local rows = (guarded and #KEYS - 1 or #KEYS) / 2
local function number(key, field) return tonumber(redis.call('HGET', key, field) or '0') end

local alive = not guarded or redis.call('EXISTS', KEYS[#KEYS]) == 1
local first = redis.call('EXISTS', KEYS[rows + 1]) == 1 and KEYS[rows + 1] or KEYS[1]
local newest, windows = number(first, 'v'), number(first, 'n')

local back = {}
for a = 3, #ARGV do
  local i = tonumber(ARGV[a])
  local draft = KEYS[rows + i]
  if redis.call('EXISTS', draft) == 1 then
    local written = number(draft, 'v')
    local stays
    if version then stays = written > version else stays = i <= windows and written >= newest end
    if alive and stays then back[#back + 1] = i else redis.call('DEL', draft) end
  end
end
return back
