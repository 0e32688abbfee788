/**
 * Steps that Redis runs as one. A record's value is the writer's nonce, 16 characters, and then its
 * JSON; the nonce is the end of its body's key.
 */

/**
 * KEYS: record, session, expiry, body. ARGV: value, id, time of removal in Unix milliseconds, member of expiry, expiry,
 * the whole body. 1 when it was created.
 */
export const STORE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[4])
redis.call('SET', KEYS[4], ARGV[6], 'PXAT', ARGV[3])
redis.call('SET', KEYS[1], ARGV[1], 'PXAT', ARGV[3])
redis.call('ZADD', KEYS[2], 0, ARGV[2])
return 1`;

/** KEYS: record, body's key without the nonce. ARGV: offsets of the first and the last byte. The record's value and the bytes. */
export const READ = `
local value = redis.call('GET', KEYS[1])
if not value then return false end
return {value, redis.call('GETRANGE', KEYS[2] .. string.sub(value, 1, 16), ARGV[1], ARGV[2])}`;

/**
 * KEYS: record, session, expiry. ARGV: value, id, time of removal in Unix milliseconds, member of expiry. 1 when it was
 * created, 0 when the id is taken, -1 when a sweep has removed the member, and with it the body.
 */
export const PUBLISH = `
if not redis.call('ZSCORE', KEYS[3], ARGV[4]) then return -1 end
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PXAT', ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[2], 0, ARGV[2])
return 1`;

/** KEYS: record, session, expiry, body's key without the nonce. ARGV: id, member of expiry without the nonce. */
export const REMOVE = `
local value = redis.call('GET', KEYS[1])
redis.call('ZREM', KEYS[2], ARGV[1])
if not value then return 0 end
local nonce = string.sub(value, 1, 16)
redis.call('DEL', KEYS[1], KEYS[4] .. nonce)
redis.call('ZREM', KEYS[3], ARGV[2] .. nonce)
return 1`;

/**
 * KEYS: record, expiry, body. ARGV: nonce, value, member of expiry, expiry, time of removal, both in Unix
 * milliseconds. 1 when the record was there as that writer's, and expired earlier.
 */
export const REPLACE = `
local value = redis.call('GET', KEYS[1])
if not value or string.sub(value, 1, 16) ~= ARGV[1] then return 0 end
local known = redis.call('ZSCORE', KEYS[2], ARGV[3])
if known and tonumber(known) >= tonumber(ARGV[4]) then return 0 end
if redis.call('PEXPIREAT', KEYS[3], ARGV[5]) == 0 then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[5])
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
return 1`;

/**
 * KEYS: record, session, expiry, body. ARGV: id, member of expiry, nonce, the latest expiry that goes. The record's value
 * when it was this writer's and this call removed it. What was prolonged since the caller looked stays. A body without its record goes in any case: its writer may have gone on
 * after a sweep had removed the member.
 */
export const SWEEP = `
local value = redis.call('GET', KEYS[1])
local isOwn = value and string.sub(value, 1, 16) == ARGV[3]
local expiry = redis.call('ZSCORE', KEYS[3], ARGV[2])
if expiry and tonumber(expiry) > tonumber(ARGV[4]) then return false end
if redis.call('ZREM', KEYS[3], ARGV[2]) == 0 and isOwn then return false end
redis.call('DEL', KEYS[4])
if value and not isOwn then return false end
redis.call('ZREM', KEYS[2], ARGV[1])
if not value then return false end
redis.call('DEL', KEYS[1])
return value`;
