#!lua
-- Notes recalls: an entry without text in a capped stream, the query's text apart, and a count on the first memories. One that
-- was forgotten meanwhile is not counted, and takes the text of the query along.
-- KEYS[1] stream of recalls   KEYS[2] counts hash   KEYS[3] last-recalled hash
-- KEYS[4..] hash of a day's query texts, and payload hashes, named by index in the plan
-- ARGV[1] plan, JSON: a list of recalls { f: first of their fields' args, n: number of these args, at: ISO time,
--           t: key of the texts, q: arg of the query's text, m: [[payload key, arg of the memory's key], ...] }
-- ARGV[2] entries kept in the stream   ARGV[3] seconds for which texts are kept   ARGV[4] how many of the memories are counted
-- ARGV[5..] fields and texts
local most = tonumber(ARGV[4])
for _, recall in ipairs(cjson.decode(ARGV[1])) do
  local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', unpack(ARGV, recall.f, recall.f + recall.n - 1))
  local all_there = true
  for rank, memory in ipairs(recall.m) do
    local state = redis.call('HMGET', KEYS[memory[1]], 'v', 'f')
    -- Erased, and nothing since: a project may have a new context.
    if not state[1] or state[1] == state[2] then
      all_there = false
    elseif rank <= most then
      redis.call('HINCRBY', KEYS[2], ARGV[memory[2]], 1)
      redis.call('HSET', KEYS[3], ARGV[memory[2]], recall.at)
    end
  end
  if all_there then
    redis.call('HSET', KEYS[recall.t], id, ARGV[recall.q])
    redis.call('EXPIRE', KEYS[recall.t], ARGV[3])
  end
end
return 0
