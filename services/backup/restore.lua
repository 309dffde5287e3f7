#!lua
-- Puts entries of a backup at the end of the log, under the places they had, with their payloads. Refuses before its first
-- write unless the log ends exactly where the caller saw it end.
--
-- KEYS[1] mark of the restore   KEYS[2] log   KEYS[3] meta   KEYS[4] erasures   KEYS[5..6] counter hashes   KEYS[7] claims
-- KEYS[8..] payload hashes and keys to delete, by index in the plan
-- ARGV[1] plan, JSON: { t: token, l: length of the log, h: its last id or '', i: 1 when an erasure must be told,
--           x: [key to delete first, ...], m: [first arg, number of args] of the meta fields, or absent,
--           e: [{ k: payload key or absent, n: version, p: arg of the place, f: first arg of the fields, c: number of args,
--                 y: arg of the payload or absent, w: first arg and number of args of fields that go with it, or absent,
--                 u: arg of claims to take, separated by blanks, or absent, q: arg of the subject, v: 1 when it counts as the version,
--                 o: erased-below version or absent, g: arg of the subject when it forgets, d: [key to delete, ...] }, ...] }
-- ARGV[2..] texts and bytes
-- Returns { 'ok' } | { 'lost' } | { 'moved', length, last id }
local plan = cjson.decode(ARGV[1])
local MARK, LOG, META, ERASURES = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

if redis.call('HGET', MARK, 'token') ~= plan.t then return { 'lost' } end
local length = redis.call('XLEN', LOG)
local newest = redis.call('XREVRANGE', LOG, '+', '-', 'COUNT', 1)
local last = newest[1] and newest[1][1] or ''
if length ~= plan.l or last ~= plan.h then return { 'moved', length, last } end

redis.call('HSET', MARK, 'at', redis.call('TIME')[1])
for _, gone in ipairs(plan.x) do redis.call('DEL', KEYS[gone]) end
if plan.m then
  redis.call('DEL', META)
  for a = plan.m[1], plan.m[1] + plan.m[2] - 1, 2 do redis.call('HSET', META, ARGV[a], ARGV[a + 1]) end
end

local erased = false
for _, entry in ipairs(plan.e) do
  redis.call('XADD', LOG, ARGV[entry.p], unpack(ARGV, entry.f, entry.f + entry.c - 1))
  if entry.k then
    local key, n = KEYS[entry.k], tostring(entry.n)
    if entry.g then
      erased = erased or redis.call('EXISTS', key) == 1
      for claim in string.gmatch(redis.call('HGET', key, 'c') or '', '%S+') do
        if redis.call('HGET', KEYS[7], claim) == ARGV[entry.g] then redis.call('HDEL', KEYS[7], claim) end
      end
      redis.call('DEL', key)
      redis.call('HSET', key, n, ARGV[entry.y], 'v', n, 'f', n)
      for _, gone in ipairs(entry.d) do redis.call('DEL', KEYS[gone]) end
      redis.call('HDEL', KEYS[5], ARGV[entry.g])
      redis.call('HDEL', KEYS[6], ARGV[entry.g])
    else
      if entry.w then
        redis.call('HSET', key, unpack(ARGV, entry.w[1], entry.w[1] + entry.w[2] - 1))
      elseif entry.y then
        redis.call('HSET', key, n, ARGV[entry.y])
      end
      if entry.v and tonumber(redis.call('HGET', key, 'v') or '0') < entry.n then redis.call('HSET', key, 'v', n) end
      if entry.u then
        for claim in string.gmatch(ARGV[entry.u], '%S+') do redis.call('HSET', KEYS[7], claim, ARGV[entry.q]) end
      end
      if entry.o then redis.call('HSET', key, 'f', tostring(entry.o)) end
    end
  end
end
if erased and plan.i then redis.call('INCR', ERASURES) end
return { 'ok' }
