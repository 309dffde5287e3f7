#!lua flags=allow-oom
--[[
Moves the generations of one projection. Only the holder of the lease may.

KEYS  1 lease   2 projection   3 generation   4 the generation that serves (switch only; else any key of the tenant's)
ARGV  1 token   2 'open' | 'switch' | 'retire'   3 generation number   4 now, epoch milliseconds
      open:    5 state ('building' or 'serving')   6.. fields and values of the generation
      switch:  5 number of the generation that serves, '' for none

Returns { 'done' }, or { 'lost' } when the lease is another's, { 'taken', number } when one is building already,
        { 'moved' } when the pointers are not as said, { 'behind', checkpoint, checkpoint } when the two differ.
]]
local token, op, number, now = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local projection, generation = KEYS[2], KEYS[3]

if redis.call('GET', KEYS[1]) ~= token then return { 'lost' } end

if op == 'open' then
  local state = ARGV[5]
  local other = redis.call('HGET', projection, state)
  if other then return { 'taken', other } end
  redis.call('HSET', generation, 'state', state, unpack(ARGV, 6))
  redis.call('HSET', projection, state, number)
  return { 'done' }
end

if op == 'switch' then
  local old = ARGV[5]
  if redis.call('HGET', projection, 'building') ~= number then return { 'moved' } end
  if (redis.call('HGET', projection, 'serving') or '') ~= old then return { 'moved' } end
  if old ~= '' then
    local mine, theirs = redis.call('HGET', generation, 'checkpoint'), redis.call('HGET', KEYS[4], 'checkpoint')
    if mine ~= theirs then return { 'behind', mine, theirs } end
    redis.call('HSET', KEYS[4], 'state', 'retired')
    redis.call('HSET', projection, 'retired:' .. old, now)
  end
  redis.call('HSET', generation, 'state', 'serving')
  redis.call('HSET', projection, 'serving', number)
  redis.call('HDEL', projection, 'building')
  return { 'done' }
end

redis.call('HSET', generation, 'state', 'retired')
for _, pointer in ipairs({ 'serving', 'building' }) do
  if redis.call('HGET', projection, pointer) == number then redis.call('HDEL', projection, pointer) end
end
redis.call('HSET', projection, 'retired:' .. number, now)
return { 'done' }
