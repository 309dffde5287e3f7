#!lua flags=no-writes
-- One digest of a stretch of the log and its payloads, so that a restore need not carry them back to compare them.
-- KEYS[1] log   KEYS[2..] payload hash of each entry, the log itself where it has none
-- ARGV[1] first place   ARGV[2] last place   ARGV[3..] version of each entry, '' where it has no payload hash
-- Returns the SHA-1 over the SHA-1s of each envelope (its place and fields, with NUL between) and its payload (or '-'),
-- or '' when the log holds more or fewer entries there
local wanted = #ARGV - 2
local entries = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', wanted + 1)
if #entries ~= wanted then return '' end
local digests = {}
for i = 1, wanted do
  local payload = ARGV[i + 2] ~= '' and redis.call('HGET', KEYS[i + 1], ARGV[i + 2])
  digests[2 * i - 1] = redis.sha1hex(entries[i][1] .. '\0' .. table.concat(entries[i][2], '\0'))
  digests[2 * i] = payload and redis.sha1hex(payload) or '-'
end
return redis.sha1hex(table.concat(digests))
