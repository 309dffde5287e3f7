#!lua
-- Stores vectors that were made after the append, unless the text they were made of is gone or was revised meanwhile.
-- KEYS[1] announcements stream, then per memory: payload hash, embedding hash
-- ARGV[1] model id   ARGV[2] announcements kept, then per memory: key, content version, vectors
-- Returns the number of memories stored
local stored = 0
for i = 1, (#KEYS - 1) / 2 do
  local payloads, embedding = KEYS[2 * i], KEYS[2 * i + 1]
  local memory, version, vectors = ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2]
  local state = redis.call('HMGET', payloads, 'cv', 'f')
  -- A project may have a new context after its old one was erased.
  if state[1] == version and (not state[2] or tonumber(state[2]) < tonumber(version)) then
    redis.call('HSET', embedding, 'n', version, 'w', vectors)
    redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', 'model', ARGV[1], 'memory', memory)
    stored = stored + 1
  end
end
return stored
