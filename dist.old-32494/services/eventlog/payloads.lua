#!lua flags=no-writes
-- Reads the payloads of a page of the log in one call.
-- KEYS payload hash of each event   ARGV version of each event
-- Returns a flat list: payload or false, erased-below version or false, for each event
local found = {}
for i = 1, #KEYS do
  -- A key of another type is a missing payload: one damaged subject must not hide the rest of the page.
  local fields = redis.pcall('HMGET', KEYS[i], ARGV[i], 'f')
  found[2 * i - 1] = fields[1] or false
  found[2 * i] = fields[2] or false
end
return found
