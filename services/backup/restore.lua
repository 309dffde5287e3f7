#!lua
-- Puts entries of a backup at the end of the log, under the places they had, with their payloads. Refuses before its first
-- write unless the log ends exactly where the caller saw it end.
--
-- KEYS[1] mark of the restore   KEYS[2] log   KEYS[3] meta   KEYS[4] erasures   KEYS[5..6] counter hashes   KEYS[7] claims
-- KEYS[8..] payload hashes and keys to delete, by index in the plan
-- ARGV[1] plan, msgpack: { t: token, l: length of the log, h: its last id or '', i: true when an erasure must be told,
--           x: [key to delete first, ...], m: meta fields or absent, c: [claim, subject, ...] that are taken,
--           e: [{ p: place, f: fields, b: [[number of a field, arg of its bytes], ...] or absent, k: payload key or absent,
--                 n: version, y: arg of the payload or absent, w: fields that go with it or absent, v: true when it counts as
--                 the version, o: erased-below version or absent, g: subject when it forgets, d: [key to delete, ...] }, ...] }
-- ARGV[2..] bytes, which the server's msgpack cannot carry
-- Returns { 'ok' } | { 'lost' } | { 'moved', length, last id }
local plan = cmsgpack.unpack(ARGV[1])
local MARK, LOG, META, ERASURES, CLAIMS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[7]
-- More values at once may not fit the stack.
local AT_ONCE = 1000

if redis.call('HGET', MARK, 'token') ~= plan.t then return { 'lost' } end
local length = redis.call('XLEN', LOG)
local newest = redis.call('XREVRANGE', LOG, '+', '-', 'COUNT', 1)
local last = newest[1] and newest[1][1] or ''
if length ~= plan.l or last ~= plan.h then return { 'moved', length, last } end

redis.call('HSET', MARK, 'at', redis.call('TIME')[1])
for _, gone in ipairs(plan.x) do redis.call('DEL', KEYS[gone]) end
if plan.m then
  redis.call('DEL', META)
  redis.call('HSET', META, unpack(plan.m))
end

local erased = false
for _, entry in ipairs(plan.e) do
  for _, bytes in ipairs(entry.b or {}) do entry.f[bytes[1]] = ARGV[bytes[2]] end
  redis.call('XADD', LOG, entry.p, unpack(entry.f))
  if entry.k then
    local key, n = KEYS[entry.k], tostring(entry.n)
    if entry.g then
      erased = erased or redis.call('EXISTS', key) == 1
      for claim in string.gmatch(redis.call('HGET', key, 'c') or '', '%S+') do
        if redis.call('HGET', CLAIMS, claim) == entry.g then redis.call('HDEL', CLAIMS, claim) end
      end
      redis.call('DEL', key)
      redis.call('HSET', key, n, ARGV[entry.y], 'v', n, 'f', n)
      for _, gone in ipairs(entry.d) do redis.call('DEL', KEYS[gone]) end
      redis.call('HDEL', KEYS[5], entry.g)
      redis.call('HDEL', KEYS[6], entry.g)
    else
      if entry.w then
        redis.call('HSET', key, n, ARGV[entry.y], unpack(entry.w))
      elseif entry.y then
        redis.call('HSET', key, n, ARGV[entry.y])
      end
      if entry.v and tonumber(redis.call('HGET', key, 'v') or '0') < entry.n then redis.call('HSET', key, 'v', n) end
      if entry.o then redis.call('HSET', key, 'f', tostring(entry.o)) end
    end
  end
end
for from = 1, #plan.c, AT_ONCE do redis.call('HSET', CLAIMS, unpack(plan.c, from, math.min(from + AT_ONCE - 1, #plan.c))) end
if erased and plan.i then redis.call('INCR', ERASURES) end
return { 'ok' }
