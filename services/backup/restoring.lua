#!lua flags=allow-oom
-- The mark of a restore: while it is there nobody appends. One that was left by a killed restore is taken over.
-- KEYS[1] mark   ARGV[1] take | release | leave | give-up   ARGV[2] token   ARGV[3] name of the backup   ARGV[4] seconds without a sign
-- Returns 0 when another holds the mark, 2 when a mark was taken over, else 1
local time = tonumber(redis.call('TIME')[1])
local token = redis.call('HGET', KEYS[1], 'token')
if ARGV[1] == 'take' then
  if token and token ~= ARGV[2] and time - tonumber(redis.call('HGET', KEYS[1], 'at')) < tonumber(ARGV[4]) then return 0 end
  redis.call('HSET', KEYS[1], 'token', ARGV[2], 'at', time, 'backup', ARGV[3])
  return token and 2 or 1
end
if ARGV[1] == 'give-up' then
  if token and time - tonumber(redis.call('HGET', KEYS[1], 'at')) < tonumber(ARGV[4]) then return 0 end
elseif token ~= ARGV[2] then
  return 0
end
-- Unfinished, and nobody is at it: the next may take it over at once.
if ARGV[1] == 'leave' then
  redis.call('HSET', KEYS[1], 'at', 0)
  return 1
end
redis.call('DEL', KEYS[1])
return 1
