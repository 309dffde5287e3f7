#!lua flags=allow-oom
-- Forgets subjects: the event is appended, every earlier payload, vector, row, claim and counter goes, and the erasure
-- number moves, all in one step. Works at the memory limit, since it is the way out of it.
--
-- KEYS[1] log   KEYS[2] erasures   KEYS[3] claims   KEYS[4] result key   KEYS[5..6] counter hashes
-- KEYS[7] mark of a restore that is under way   KEYS[8..] as the plan says
-- ARGV[1] plan, JSON: { t: seconds to keep the result, r: arg of the result,
--           w: [{ k: payload key, s: arg of the subject, x: expected version, ev: first arg of the event, d: [key to delete, ...] }, ...] }
-- ARGV[2..] as in append.lua: an event takes 9 values
-- Returns { 'ok', '[[n,"position"],...]', erasures } | { 'repeat', stored JSON } | { 'version', write index, actual }
if redis.call('EXISTS', KEYS[7]) == 1 then return redis.error_reply('RESTORING a backup is being restored into this store') end
local plan = cjson.decode(ARGV[1])
local LOG, ERASURES, CLAIMS, RESULT = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local stored = redis.call('GET', RESULT)
if stored then return { 'repeat', stored } end
for i, write in ipairs(plan.w) do
  local actual = tonumber(redis.call('HGET', KEYS[write.k], 'v') or '0')
  if actual ~= write.x then return { 'version', i - 1, actual } end
end

local made = {}
for _, write in ipairs(plan.w) do
  local key, subject, a = KEYS[write.k], ARGV[write.s], write.ev
  local n = tostring(write.x + 1)
  local position = redis.call('XADD', LOG, '*', 'id', ARGV[a], 'type', ARGV[a + 1], 'v', ARGV[a + 2], 'subject', subject, 'n', n,
    'at', ARGV[a + 3], 'actor', ARGV[a + 4], 'correlation', ARGV[a + 5], 'digest', ARGV[a + 7])
  for claim in string.gmatch(redis.call('HGET', key, 'c') or '', '%S+') do
    if redis.call('HGET', CLAIMS, claim) == subject then redis.call('HDEL', CLAIMS, claim) end
  end
  redis.call('DEL', key)
  redis.call('HSET', key, n, ARGV[a + 8], 'v', n, 'f', n)
  for _, gone in ipairs(write.d) do redis.call('DEL', KEYS[gone]) end
  redis.call('HDEL', KEYS[5], subject)
  redis.call('HDEL', KEYS[6], subject)
  made[#made + 1] = '[' .. n .. ',"' .. position .. '"]'
end
local erasures = redis.call('INCR', ERASURES)
local events = '[' .. table.concat(made, ',') .. ']'
redis.call('SET', RESULT, '{"events":' .. events .. ',"result":' .. ARGV[plan.r] .. '}', 'EX', plan.t)
return { 'ok', events, erasures }
