#!lua flags=no-writes
-- Finds the events of a page of the log that came from another log.
-- KEYS[1] log   ARGV[1] position after which to look   ARGV[2] entries to look at
-- Returns { last position looked at or '', position, its place where it came from, position, ... }
local entries = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])
local found = { '' }
for _, entry in ipairs(entries) do
  found[1] = entry[1]
  local fields = entry[2]
  for i = 1, #fields, 2 do
    if fields[i] == 'orig' then
      found[#found + 1] = entry[1]
      found[#found + 1] = fields[i + 1]
    end
  end
end
return found
