#!lua
--[[
Writes, removes or trims the rows of one memory in a vector index: one hash for each window of its text. All or nothing, never
over what a newer event wrote, never for a memory whose vectors are no longer in the cache.

KEYS  1..R rows 0.. (R: the larger of the windows stored and the windows to be), then the cached vectors when ARGV[4] is '1'
ARGV  1 'put' | 'facets' | 'remove' | 'trim' (windows beyond those stored go)   2 windows stored, as last seen   3 version of the memory, or '' for any
      4 '1' when the cached vectors must be there   5 windows to be   6 number F of common values
      7.. F field names and values, then (put) one vector per window

Returns { 'done' | 'newer' | 'gone' | 'moved', windows stored before }
]]
local op, seen, version, guarded, windows, common = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[5]), tonumber(ARGV[6])
local rows = guarded and #KEYS - 1 or #KEYS
local stored = tonumber(redis.call('HGET', KEYS[1], 'n') or '0')
if stored ~= seen then return { 'moved', stored } end

local alive = not guarded or redis.call('EXISTS', KEYS[#KEYS]) == 1
local newest = tonumber(redis.call('HGET', KEYS[1], 'v') or '0')
if alive and version and newest > version then return { 'newer', stored } end

if op == 'remove' or not alive then
  for i = 1, rows do redis.call('DEL', KEYS[i]) end
  return { alive and 'done' or 'gone', stored }
end

if op == 'trim' then
  for i = stored + 1, rows do redis.call('DEL', KEYS[i]) end
  return { 'done', stored }
end

local fields = {}
for i = 1, common do fields[i] = ARGV[6 + i] end
if op == 'facets' then
  for i = 1, stored do redis.call('HSET', KEYS[i], unpack(fields)) end
  return { stored > 0 and 'done' or 'gone', stored }
end

for i = 1, windows do redis.call('HSET', KEYS[i], 'vector', ARGV[6 + common + i], 'w', i - 1, unpack(fields)) end
for i = windows + 1, rows do redis.call('DEL', KEYS[i]) end
return { 'done', stored }
