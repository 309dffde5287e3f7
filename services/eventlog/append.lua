#!lua
-- Appends the events of several commands, each whole or not at all: every check of a command comes before its first write.
-- A command met twice (same result key) answers its first result and writes nothing.
--
-- KEYS[1] log stream   KEYS[2] erasures counter   KEYS[3] claims hash   KEYS[4] mark of a restore that is under way
-- KEYS[5..] result keys, payload hashes and embedding hashes, named by index in the plan
-- ARGV[1]   plan, JSON: a list of commands
--   { c: key of the result, t: seconds to keep it, r: arg of the result (JSON text),
--     e: expected erasures (or absent), g: [[payload key, expected version], ...] subjects that were only read,
--     w: [{ k: payload key, s: arg of the subject, x: expected version or -1 for any,
--           ev: [[first arg, 1 when it sets the content], ...],
--           cl: [[arg of the claim, 1 when it must be free], ...], rl: [arg of a claim to release, ...],
--           em: [embedding key, arg of the vectors] or absent }, ...] }
-- ARGV[2..] texts and bytes. An event takes 9: id, type, v, at, actor, correlation, causation or '', digest, payload
-- Returns a list with one entry a command:
--   { 'ok', '[[n,"position"],...]' }    { 'repeat', stored JSON }    { 'version', write index, actual }
--   { 'guard', guard index, actual }    { 'claim', write index, claim, holder }    { 'erasures', actual }
if redis.call('EXISTS', KEYS[4]) == 1 then return redis.error_reply('RESTORING a backup is being restored into this store') end
local plan = cjson.decode(ARGV[1])
local LOG, ERASURES, CLAIMS = KEYS[1], KEYS[2], KEYS[3]

local function version_of(key)
  return tonumber(redis.call('HGET', key, 'v') or '0')
end

local function refusal(command, versions)
  local stored = redis.call('GET', KEYS[command.c])
  if stored then return { 'repeat', stored } end
  if command.e then
    local erasures = tonumber(redis.call('GET', ERASURES) or '0')
    if erasures ~= command.e then return { 'erasures', erasures } end
  end
  for i, guard in ipairs(command.g) do
    local actual = version_of(KEYS[guard[1]])
    if actual ~= guard[2] then return { 'guard', i - 1, actual } end
  end
  local taken = {}
  for i, write in ipairs(command.w) do
    local subject = ARGV[write.s]
    if write.x >= 0 then
      local actual = version_of(KEYS[write.k])
      versions[KEYS[write.k]] = actual
      if actual ~= write.x then return { 'version', i - 1, actual } end
    end
    for _, claim in ipairs(write.cl) do
      local text = ARGV[claim[1]]
      local holder = redis.call('HGET', CLAIMS, text) or taken[text]
      if holder and holder ~= subject and claim[2] == 1 then return { 'claim', i - 1, text, holder } end
      taken[text] = holder or subject
    end
  end
  return nil
end

local function change_claims(write)
  local subject, held = ARGV[write.s], {}
  for claim in string.gmatch(redis.call('HGET', KEYS[write.k], 'c') or '', '%S+') do held[#held + 1] = claim end
  for _, arg in ipairs(write.rl) do
    local claim = ARGV[arg]
    if redis.call('HGET', CLAIMS, claim) == subject then redis.call('HDEL', CLAIMS, claim) end
    for i = #held, 1, -1 do
      if held[i] == claim then table.remove(held, i) end
    end
  end
  for _, wanted in ipairs(write.cl) do
    local claim = ARGV[wanted[1]]
    local holder = redis.call('HGET', CLAIMS, claim)
    if not holder then
      redis.call('HSET', CLAIMS, claim, subject)
      held[#held + 1] = claim
    end
  end
  if #held > 0 then
    redis.call('HSET', KEYS[write.k], 'c', table.concat(held, ' '))
  else
    redis.call('HDEL', KEYS[write.k], 'c')
  end
end

local function append(command, versions)
  local made = {}
  for _, write in ipairs(command.w) do
    local key, subject = KEYS[write.k], ARGV[write.s]
    local v = versions[key] or version_of(key)
    local content = nil
    for _, event in ipairs(write.ev) do
      local a = event[1]
      v = v + 1
      local n = tostring(v)
      local position
      if ARGV[a + 6] == '' then
        position = redis.call('XADD', LOG, '*', 'id', ARGV[a], 'type', ARGV[a + 1], 'v', ARGV[a + 2], 'subject', subject, 'n', n,
          'at', ARGV[a + 3], 'actor', ARGV[a + 4], 'correlation', ARGV[a + 5], 'digest', ARGV[a + 7])
      else
        position = redis.call('XADD', LOG, '*', 'id', ARGV[a], 'type', ARGV[a + 1], 'v', ARGV[a + 2], 'subject', subject, 'n', n,
          'at', ARGV[a + 3], 'actor', ARGV[a + 4], 'correlation', ARGV[a + 5], 'causation', ARGV[a + 6], 'digest', ARGV[a + 7])
      end
      if event[2] == 1 then content = n end
      if content == n then
        redis.call('HSET', key, n, ARGV[a + 8], 'v', n, 'cv', n)
      else
        redis.call('HSET', key, n, ARGV[a + 8], 'v', n)
      end
      made[#made + 1] = '[' .. n .. ',"' .. position .. '"]'
    end
    versions[key] = v
    if #write.cl > 0 or #write.rl > 0 then change_claims(write) end
    if write.em and content then redis.call('HSET', KEYS[write.em[1]], 'n', content, 'w', ARGV[write.em[2]]) end
  end
  local events = '[' .. table.concat(made, ',') .. ']'
  redis.call('SET', KEYS[command.c], '{"events":' .. events .. ',"result":' .. ARGV[command.r] .. '}', 'EX', command.t)
  return { 'ok', events }
end

local answers = {}
for i, command in ipairs(plan) do
  local versions = {}
  answers[i] = refusal(command, versions) or append(command, versions)
end
return answers
