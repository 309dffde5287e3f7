#!lua flags=allow-oom
--[[
Leases with fencing tokens. It may run at the memory limit, so that views still follow a forget there.

KEYS  1 token counter   2.. leases
ARGV  1 'acquire' | 'seize' | 'renew' | 'release'   2 milliseconds   3.. token per lease (renew, release)

Returns, per lease: acquire, seize: the new token, or 0 when another holds it (seize never fails);
        renew, release: 1 when the token was the holder's, else 0.
]]
local op, milliseconds = ARGV[1], ARGV[2]
local results = {}
for k = 2, #KEYS do
  local result = 0
  if op == 'acquire' or op == 'seize' then
    if op == 'seize' or redis.call('EXISTS', KEYS[k]) == 0 then
      result = redis.call('INCR', KEYS[1])
      redis.call('SET', KEYS[k], result, 'PX', milliseconds)
    end
  elseif redis.call('GET', KEYS[k]) == ARGV[k + 1] then
    result = 1
    if op == 'renew' then redis.call('PEXPIRE', KEYS[k], milliseconds) else redis.call('DEL', KEYS[k]) end
  end
  results[k - 1] = result
end
return results
