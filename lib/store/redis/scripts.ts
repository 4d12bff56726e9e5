import { createHash } from 'node:crypto';

/*
 * One script per operation, one key per script: Redis runs a script as a whole and nothing beside
 * it, and a cluster finds its node by the key. A record is a hash; all its values are text.
 *
 * Times come from the caller and are compared as numbers, but written as the text that the caller
 * gave: Lua's own number formatting would cut them. ARGV[…] are documented above each script.
 */

/** A script and the name under which a server that has seen it keeps it. */
export interface Script {
  readonly source: string;
  readonly sha1: string;
  /** The words that it answers with. */
  readonly answers: readonly string[];
}

const judging = `
local function time(text)
  if text and string.find(text, '^%-?%d+%.?%d*$') then return tonumber(text) end
end

local function recordOf(fields)
  local record = {}
  for i = 1, #fields, 2 do record[fields[i]] = fields[i + 1] end
  return record
end

-- The comparisons are strict: at its very end a record stands. What is unreadable stands too.
local function ended(record, judgedAt)
  local running = record.status == 'INPROGRESS'
  if not running and record.status ~= 'COMPLETED' and record.status ~= 'FAILED' then return false end
  local expiresAt = time(record.expires_at_ms)
  if expiresAt and expiresAt < judgedAt then return true end
  local lapsesAt = running and time(record.in_progress_until_ms)
  return lapsesAt and lapsesAt < judgedAt
end
`;

/*
 * A server that has no memory left (maxmemory, noeviction) refuses writes that take some, unless
 * the same script has written before: half a script would be worse. So the scripts of a claim's
 * owner delete a field first, and an outcome is recorded although no new claim can be made.
 */

/**
 * ARGV: 'run' or 'reject'; the moment to judge at; for how many ms Redis keeps the key, or ''; then
 * the record's fields and values. Answers 'claimed' and whether a claim was taken over, or
 * 'refused' and the fields and values of the record in the way.
 */
const claim = `${judging}
local fields = redis.call('HGETALL', KEYS[1])
local tookOver = '0'
if #fields > 0 then
  local record = recordOf(fields)
  local running = record.status == 'INPROGRESS'
  if (running and ARGV[1] == 'reject') or not ended(record, tonumber(ARGV[2])) then
    table.insert(fields, 1, 'refused')
    return fields
  end
  if running then tookOver = '1' end
  redis.call('DEL', KEYS[1])
end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
if ARGV[3] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return { 'claimed', tookOver }
`;

/**
 * ARGV: token; the claim's new end; the least expiry that covers it. Redis keeps the key for as
 * much longer as the record's expiry moves. Answers 'renewed', 'kept' or 'lost'.
 */
const renew = `${judging}
local token, status, lapsesAt, expiresAt = unpack(redis.call(
  'HMGET', KEYS[1], 'claim_token', 'status', 'in_progress_until_ms', 'expires_at_ms'))
if token ~= ARGV[1] then return 'lost' end
lapsesAt = time(lapsesAt)
if status ~= 'INPROGRESS' or not lapsesAt or lapsesAt > tonumber(ARGV[2]) then return 'kept' end
redis.call('HDEL', KEYS[1], 'in_progress_until_ms')
redis.call('HSET', KEYS[1], 'in_progress_until_ms', ARGV[2])
expiresAt = time(expiresAt)
if expiresAt and expiresAt < tonumber(ARGV[3]) then
  local keptMs = redis.call('PTTL', KEYS[1])
  redis.call('HSET', KEYS[1], 'expires_at_ms', ARGV[3])
  if keptMs >= 0 then
    local moreMs = math.ceil(tonumber(ARGV[3]) - expiresAt)
    redis.call('PEXPIRE', KEYS[1], string.format('%.0f', keptMs + moreMs))
  end
end
return 'renewed'
`;

/**
 * ARGV: token; for how many ms Redis keeps the key; then the outcome's fields and values. Answers
 * 'completed' or 'lost'.
 */
const complete = `
if redis.call('HGET', KEYS[1], 'claim_token') ~= ARGV[1] then return 'lost' end
redis.call('HDEL', KEYS[1], 'in_progress_until_ms', 'result', 'result_base64', 'encoding', 'error',
  'result_omitted')
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'completed'
`;

/** ARGV: token. Answers 'released' or 'kept'. */
const release = `
local token, status = unpack(redis.call('HMGET', KEYS[1], 'claim_token', 'status'))
if token ~= ARGV[1] or status ~= 'INPROGRESS' then return 'kept' end
redis.call('DEL', KEYS[1])
return 'released'
`;

/** Answers 'found' and the fields and values of the record, of which there may be none. */
const get = `
local fields = redis.call('HGETALL', KEYS[1])
table.insert(fields, 1, 'found')
return fields
`;

/**
 * ARGV: 'force' or ''; the moment to judge at. A hash that is no record goes only by force.
 * Answers 'removed' or 'kept'.
 */
const forget = `${judging}
local fields = redis.call('HGETALL', KEYS[1])
if #fields == 0 then return 'kept' end
local record = recordOf(fields)
local outcome = record.status == 'COMPLETED' or record.status == 'FAILED'
if ARGV[1] ~= 'force' and not outcome and not ended(record, tonumber(ARGV[2])) then return 'kept' end
redis.call('DEL', KEYS[1])
return 'removed'
`;

export const scripts = {
  claim: script(claim, 'claimed', 'refused'),
  renew: script(renew, 'renewed', 'kept', 'lost'),
  complete: script(complete, 'completed', 'lost'),
  release: script(release, 'released', 'kept'),
  get: script(get, 'found'),
  forget: script(forget, 'removed', 'kept'),
} as const;

function script(source: string, ...answers: readonly string[]): Script {
  return { source, sha1: createHash('sha1').update(source).digest('hex'), answers };
}
