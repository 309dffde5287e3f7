#!lua
-- Appends the tails of subjects that another store's backup holds and this one lacks, under new places, each whole or not at all.
-- KEYS[1] mark of a restore   KEYS[2] log   KEYS[3] claims   KEYS[4] erasures   KEYS[5..6] counter hashes
-- KEYS[7..] payload hashes, and keys to delete
-- ARGV[1] plan, JSON: a list of { k: payload key, s: arg of the subject, x: expected version, o: erased-below version or absent,
--           d: [key to delete when something is erased here, ...],
--           cl: arg of the claim it takes when it is free, or absent,
--           e: [{ n: version, f: first arg of the fields, c: number of args, y: arg of the payload or absent, s: 1 when it sets the content }, ...] }
-- ARGV[2..] texts and bytes
-- Returns for each subject the number of events appended, or -1 when its version has moved
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.error_reply('RESTORING a backup is being restored into this store') end
local answers = {}
local erased = false
for i, tail in ipairs(cjson.decode(ARGV[1])) do
  local key, subject = KEYS[tail.k], ARGV[tail.s]
  if tonumber(redis.call('HGET', key, 'v') or '0') ~= tail.x then
    answers[i] = -1
  else
    for _, event in ipairs(tail.e) do
      local n = tostring(event.n)
      redis.call('XADD', KEYS[2], '*', unpack(ARGV, event.f, event.f + event.c - 1))
      if event.y then redis.call('HSET', key, n, ARGV[event.y]) end
      redis.call('HSET', key, 'v', n)
      if event.y and event.s then redis.call('HSET', key, 'cv', n) end
      if tail.o then redis.call('HSET', key, 'f', tostring(tail.o)) end
    end
    if tail.o then
      for n = 1, tail.o - 1 do redis.call('HDEL', key, tostring(n)) end
    end
    if tail.o and tail.x > 0 then
      for _, gone in ipairs(tail.d) do redis.call('DEL', KEYS[gone]) end
      redis.call('HDEL', KEYS[5], subject)
      redis.call('HDEL', KEYS[6], subject)
      erased = true
    end
    for claim in string.gmatch(redis.call('HGET', key, 'c') or '', '%S+') do
      if redis.call('HGET', KEYS[3], claim) == subject then redis.call('HDEL', KEYS[3], claim) end
    end
    redis.call('HDEL', key, 'c')
    if tail.cl and redis.call('HSETNX', KEYS[3], ARGV[tail.cl], subject) == 1 then redis.call('HSET', key, 'c', ARGV[tail.cl]) end
    answers[i] = #tail.e
  end
end
-- Whatever read text before is refused, and what was built of it is dropped.
if erased then redis.call('INCR', KEYS[4]) end
return answers
