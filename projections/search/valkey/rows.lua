#!lua
--[[
Drafts the rows of one memory in a vector index: one hash for each window of its text. All or nothing, never over what a newer
event wrote, never for a memory whose vectors are no longer in the cache. It touches no row: valkey-search 1.2.0 and 1.2.1 stand
still for good when a search follows a script's write of what they index while the server forks. The caller renames the drafts.

KEYS  1..R rows 0.. (R: the larger of the windows stored and the windows to be), R+1..2R their drafts, then the cached vectors
      when ARGV[4] is '1'
ARGV  1 'put' | 'facets' | 'remove' | 'trim' (windows beyond those stored go)   2 windows stored, as last seen   3 version of the memory, or '' for any
      4 '1' when the cached vectors must be there   5 windows to be   6 number F of common values
      7.. F field names and values, then (put) one vector per window

Returns { 'done' | 'newer' | 'gone' | 'moved', windows stored before, drafts to rename, number of the first row to delete }
]]
local op, seen, version, guarded, windows, common = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[5]), tonumber(ARGV[6])
local rows = (guarded and #KEYS - 1 or #KEYS) / 2
local function draft(i) return KEYS[rows + i] end
local function number(key, field) return tonumber(redis.call('HGET', key, field) or '0') end

-- What a killed process drafted and did not rename counts as stored.
local drafted = number(draft(1), 'n')
local stored = math.max(number(KEYS[1], 'n'), drafted)
if stored ~= seen then return { 'moved', stored, 0, rows + 1 } end

local alive = not guarded or redis.call('EXISTS', KEYS[#KEYS]) == 1
local newest = math.max(number(KEYS[1], 'v'), number(draft(1), 'v'))
if alive and version and newest > version then return { 'newer', stored, 0, rows + 1 } end

local function forget_drafts(from) for i = from, rows do redis.call('DEL', draft(i)) end end

if op == 'remove' or not alive then
  forget_drafts(1)
  return { alive and 'done' or 'gone', stored, 0, 1 }
end

if op == 'trim' then
  for i = stored + 1, rows do redis.call('DEL', draft(i)) end
  return { 'done', stored, 0, stored + 1 }
end

local fields = {}
for i = 1, common do fields[i] = ARGV[6 + i] end
if op == 'facets' then
  local count = drafted > 0 and drafted or stored
  for i = 1, count do
    -- A draft that is being renamed at this moment is newer than its row.
    local row = redis.call('EXISTS', draft(i)) == 0 and redis.call('HGETALL', KEYS[i]) or {}
    if #row > 0 then redis.call('HSET', draft(i), unpack(row)) end
    if redis.call('EXISTS', draft(i)) == 1 then redis.call('HSET', draft(i), unpack(fields)) end
  end
  return { stored > 0 and 'done' or 'gone', stored, count, count + 1 }
end

forget_drafts(1)
for i = 1, windows do redis.call('HSET', draft(i), 'vector', ARGV[6 + common + i], 'w', i - 1, unpack(fields)) end
return { 'done', stored, windows, windows + 1 }
