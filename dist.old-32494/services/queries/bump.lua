#!lua
-- Counts a recall of memories that exist; one that was forgotten meanwhile leaves nothing.
-- KEYS[1] counts hash   KEYS[2] last-recalled hash   KEYS[3..] payload hash of each memory
-- ARGV[1] time, ISO   ARGV[2..] each memory's key
for i = 3, #KEYS do
  local state = redis.call('HMGET', KEYS[i], 'v', 'f')
  if state[1] and not state[2] then
    redis.call('HINCRBY', KEYS[1], ARGV[i - 1], 1)
    redis.call('HSET', KEYS[2], ARGV[i - 1], ARGV[1])
  end
end
return 0
