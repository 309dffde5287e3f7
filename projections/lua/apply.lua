#!lua
--[[
Applies one batch of a projection to one generation, whole or not at all.

KEYS  1 lease   2 generation   3 erasures   4 degraded   5 dead letters   6.. rows
ARGV  1 lease token   2 from   3 to   4 erasures when the payloads were read   5 id of the event at `to`
      6 msgpack { kinds, writes, degraded, letters }
        kinds     per row: the type it must have ('hash', 'zset') or '' for any
        writes    { op, row, values }: 1 HSET fields and values, 2 HDEL fields, 3 DEL, 4 ZADD members, 5 ZREM members
        degraded  subjects and their JSON, alternating
        letters   per dead letter: a list of fields and values

Returns { 'applied' }
        { 'already', checkpoint }   the checkpoint is at `to` or later: a batch sent twice
        { 'lost' }                  the lease ran out or is another's
        { 'gone', state }           the generation neither builds nor serves
        { 'moved', checkpoint }     the checkpoint is not `from`
        { 'erased', erasures }      something was forgotten since the payloads were read
        { 'refused', row }          this row (from 1) has another type
Everything is checked before the first write; all writes are absolute; the checkpoint comes last.
]]
local LARGEST = 2000

local function parsed(id)
  local time, sequence = string.match(id, '^(%d+)%-(%d+)$')
  return tonumber(time), tonumber(sequence)
end

local function before(a, b)
  local a_time, a_sequence = parsed(a)
  local b_time, b_sequence = parsed(b)
  return a_time < b_time or (a_time == b_time and a_sequence < b_sequence)
end

local token, from, to, erasures, event_id = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

if redis.call('GET', KEYS[1]) ~= token then return { 'lost' } end
local state = redis.call('HGET', KEYS[2], 'state')
if state ~= 'building' and state ~= 'serving' then return { 'gone', state or '' } end
local checkpoint = redis.call('HGET', KEYS[2], 'checkpoint')
if not before(checkpoint, to) then return { 'already', checkpoint } end
if checkpoint ~= from then return { 'moved', checkpoint } end
local erased = redis.call('GET', KEYS[3]) or '0'
if erased ~= erasures then return { 'erased', erased } end

local kinds, writes, degraded, letters = unpack(cmsgpack.unpack(ARGV[6]))
for row = 1, #kinds do
  if kinds[row] ~= '' then
    local found = redis.call('TYPE', KEYS[5 + row]).ok
    if found ~= 'none' and found ~= kinds[row] then return { 'refused', row } end
  end
end

local COMMANDS = { 'HSET', 'HDEL', 'DEL', 'ZADD', 'ZREM' }
for w = 1, #writes do
  local op, row, values = writes[w][1], KEYS[5 + writes[w][2]], writes[w][3]
  if op == 3 then
    redis.call('DEL', row)
  elseif op == 4 then
    for m = 1, #values do redis.call('ZADD', row, 0, values[m]) end
  else
    for first = 1, #values, LARGEST do
      redis.call(COMMANDS[op], row, unpack(values, first, math.min(first + LARGEST - 1, #values)))
    end
  end
end

for s = 1, #degraded, 2 do redis.call('HSET', KEYS[4], degraded[s], degraded[s + 1]) end
for l = 1, #letters do redis.call('XADD', KEYS[5], 'MAXLEN', '~', 10000, '*', unpack(letters[l])) end
redis.call('HSET', KEYS[2], 'checkpoint', to, 'event_id', event_id)
return { 'applied' }
