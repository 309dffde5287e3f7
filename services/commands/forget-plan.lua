#!lua flags=allow-oom
-- Keeps what a preview of forgetting listed, and starts the erasure of it. Works at the memory limit, since forgetting is
-- the way out of it.
-- KEYS[1] the plan   ARGV[1] 'store' or 'start'   ARGV[2] seconds to keep it
-- store: ARGV[3..] fields and values; returns 'ok'
-- start: ARGV[3] correlation of the erasure, ARGV[4] its time; returns the correlation and time of whoever started first, or nil
-- when there is no such plan
if ARGV[1] == 'store' then
  for i = 3, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  return 'ok'
end
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
if redis.call('HSETNX', KEYS[1], 'correlation', ARGV[3]) == 1 then redis.call('HSET', KEYS[1], 'at', ARGV[4]) end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('HMGET', KEYS[1], 'correlation', 'at')
