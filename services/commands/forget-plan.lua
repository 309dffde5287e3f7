#!lua flags=allow-oom
-- Keeps what a preview of forgetting listed, and the erasure of it from its first step to its last. Works at the memory
-- limit, since forgetting is the way out of it.
-- KEYS[1] the plan   KEYS[2] what was begun and has not ended: id of the plan to the second of its last sign, or 'cancelled'
-- ARGV[1] what to do   ARGV[2] id of the plan   ARGV[3] seconds to keep the plan
-- store: ARGV[4..] fields and values; returns 'ok'
-- start: ARGV[4] correlation of the erasure, ARGV[5] its time; returns the correlation and time of whoever started first, or nil
--        when there is no such plan. It is kept until the end then, however long that takes
-- sign: a step was done   cancel: it is not to go on by itself   done: it has ended
local PLAN, BEGUN, id, seconds = KEYS[1], KEYS[2], ARGV[2], ARGV[3]
if ARGV[1] == 'store' then
  for i = 4, #ARGV, 2 do redis.call('HSET', PLAN, ARGV[i], ARGV[i + 1]) end
  redis.call('EXPIRE', PLAN, seconds)
  return 'ok'
end
if ARGV[1] == 'done' then
  redis.call('HDEL', BEGUN, id)
  redis.call('EXPIRE', PLAN, seconds)
  return 'ok'
end
if redis.call('EXISTS', PLAN) == 0 then
  redis.call('HDEL', BEGUN, id)
  return nil
end
if ARGV[1] == 'cancel' then
  redis.call('HSET', BEGUN, id, 'cancelled')
  return 'ok'
end
redis.call('HSET', BEGUN, id, redis.call('TIME')[1])
if ARGV[1] == 'sign' then return 'ok' end
if redis.call('HSETNX', PLAN, 'correlation', ARGV[4]) == 1 then redis.call('HSET', PLAN, 'at', ARGV[5]) end
redis.call('PERSIST', PLAN)
return redis.call('HMGET', PLAN, 'correlation', 'at')
