#!lua
-- Puts back what a backup carries beside the log, while the mark of the restore is there.
-- KEYS[1] mark   KEYS[2] erasures   KEYS[3] models   KEYS[4] claims   KEYS[5..] counters and payload hashes, by index in the plan
-- ARGV[1] plan, JSON: { t: token, e: erasures or absent, m: [arg of a model, ...],
--           n: [{ k: counter key, p: payload key, s: arg of the memory, c: arg of the value }, ...],
--           c: [{ p: payload key, s: arg of the subject, c: arg of its claims separated by blanks, or absent for none }, ...] }
-- A count is never lowered, and never given to a memory that is not there. A claim that another holds stays there.
-- Returns 1, or 0 when the mark is gone
local plan = cjson.decode(ARGV[1])
if redis.call('HGET', KEYS[1], 'token') ~= plan.t then return 0 end
redis.call('HSET', KEYS[1], 'at', redis.call('TIME')[1])

if plan.e and tonumber(redis.call('GET', KEYS[2]) or '0') < plan.e then redis.call('SET', KEYS[2], tostring(plan.e)) end
for _, model in ipairs(plan.m) do redis.call('SADD', KEYS[3], ARGV[model]) end

for _, count in ipairs(plan.n) do
  local state = redis.call('HMGET', KEYS[count.p], 'v', 'f')
  if state[1] and not state[2] then
    local before, value = redis.call('HGET', KEYS[count.k], ARGV[count.s]), ARGV[count.c]
    local less
    if before and tonumber(before) and tonumber(value) then less = tonumber(before) < tonumber(value) else less = not before or before < value end
    if less then redis.call('HSET', KEYS[count.k], ARGV[count.s], value) end
  end
end

for _, held in ipairs(plan.c) do
  local subject = ARGV[held.s]
  for claim in string.gmatch(redis.call('HGET', KEYS[held.p], 'c') or '', '%S+') do
    if redis.call('HGET', KEYS[4], claim) == subject then redis.call('HDEL', KEYS[4], claim) end
  end
  local kept = {}
  for claim in string.gmatch(held.c and ARGV[held.c] or '', '%S+') do
    local holder = redis.call('HGET', KEYS[4], claim)
    if not holder then redis.call('HSET', KEYS[4], claim, subject) end
    if not holder or holder == subject then kept[#kept + 1] = claim end
  end
  if #kept > 0 then redis.call('HSET', KEYS[held.p], 'c', table.concat(kept, ' ')) else redis.call('HDEL', KEYS[held.p], 'c') end
end
return 1
