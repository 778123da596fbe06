import { HASH_BYTES } from '@fresnel/domain/primitives';
import { defineScript } from './script-runner';
import { ELEMENT_BYTES, NULLIFIER_BYTES, NUMBER_BYTES, PAGE_RECORD_BYTES } from './tree-codec';

/*
 * Scripts that load a tree. It is written to the keys `loading` in chunks and replaces the stored tree in one step, so that
 * readers see the stored tree until then. KEYS[1] is the state of the tree and ARGV[1] the epoch. Each script returns 1; or 0:
 * the writer is fenced.
 */

const REQUIRE_FENCE = `if redis.call('HGET', KEYS[1], 'fence') ~= ARGV[1] then return 0 end`;

/** unpack() is limited to a few thousand values. */
const VALUES_PER_COMMAND = 2_000;

/** Calls a command with the collected values. */
const FLUSH = `
local function flush(command, key, values)
  if #values > 0 then redis.call(command, key, unpack(values)) end
  return {}
end`;

/** Deletes what an interrupted load has written. KEYS: state, and the keys to delete. ARGV: epoch. */
export const START_LOAD = defineScript(`
${REQUIRE_FENCE}
redis.call('UNLINK', unpack(KEYS, 2))
return 1
`);

/** KEYS: state, elements. ARGV: epoch, elements. */
export const LOAD_ELEMENTS = defineScript(`
${REQUIRE_FENCE}
${FLUSH}
local values = {}
for at = 1, #ARGV[2], ${ELEMENT_BYTES} do
  values[#values + 1] = '0'
  values[#values + 1] = string.sub(ARGV[2], at, at + ${ELEMENT_BYTES - 1})
  if #values == ${VALUES_PER_COMMAND} then values = flush('ZADD', KEYS[2], values) end
end
flush('ZADD', KEYS[2], values)
return 1
`);

/** KEYS: state, pages. ARGV: epoch, pages. */
export const LOAD_PAGES = defineScript(`
${REQUIRE_FENCE}
${FLUSH}
local values = {}
for at = 1, #ARGV[2], ${PAGE_RECORD_BYTES} do
  values[#values + 1] = string.sub(ARGV[2], at, at + ${NUMBER_BYTES - 1})
  values[#values + 1] = string.sub(ARGV[2], at + ${NUMBER_BYTES}, at + ${PAGE_RECORD_BYTES - 1})
  if #values == ${VALUES_PER_COMMAND} then values = flush('HSET', KEYS[2], values) end
end
flush('HSET', KEYS[2], values)
return 1
`);

/** KEYS: state, queue, queued addresses (a state tree: none). ARGV: epoch, positions and queued values. */
export const LOAD_QUEUE = defineScript(`
${REQUIRE_FENCE}
for at = 1, #ARGV[2], ${NUMBER_BYTES + HASH_BYTES} do
  local member = string.sub(ARGV[2], at, at + ${NUMBER_BYTES + HASH_BYTES - 1})
  redis.call('ZADD', KEYS[2], 0, member)
  if KEYS[3] then redis.call('SADD', KEYS[3], string.sub(member, ${NUMBER_BYTES + 1})) end
end
return 1
`);

/** KEYS: state, input queue. ARGV: epoch, entries of the input queue. */
export const LOAD_INPUT_QUEUE = defineScript(`
${REQUIRE_FENCE}
for at = 1, #ARGV[2], ${NULLIFIER_BYTES} do
  redis.call('ZADD', KEYS[2], 0, string.sub(ARGV[2], at, at + ${NULLIFIER_BYTES - 1}))
end
return 1
`);

/** KEYS: state, undo. ARGV: epoch, then number and record of each. */
export const LOAD_UNDO = defineScript(`
${REQUIRE_FENCE}
for at = 2, #ARGV, 2 do redis.call('ZADD', KEYS[2], ARGV[at], ARGV[at + 1]) end
return 1
`);

/**
 * Replaces the stored tree by the loaded one. A queue or an undo log without entries has no key.
 *
 * KEYS: state, six keys of the tree, the same six of the load. ARGV: epoch, offset ('': none), slot ('': none), head,
 * height, history id, kind.
 */
export const FINISH_LOAD = defineScript(`
${REQUIRE_FENCE}
redis.call('UNLINK', unpack(KEYS, 2, 7))
for at = 2, 7 do
  if redis.call('EXISTS', KEYS[at + 6]) == 1 then redis.call('RENAME', KEYS[at + 6], KEYS[at]) end
end
local function set(field, value)
  if value == '' then redis.call('HDEL', KEYS[1], field) else redis.call('HSET', KEYS[1], field, value) end
end
set('offset', ARGV[2])
set('slot', ARGV[3])
redis.call('HSET', KEYS[1], 'head', ARGV[4], 'height', ARGV[5], 'historyId', ARGV[6], 'kind', ARGV[7])
return 1
`);

/** Deletes a tree and keeps its fence. KEYS: all keys of the tree and of its load, state first. ARGV: epoch. */
export const DELETE_TREE = defineScript(`
${REQUIRE_FENCE}
redis.call('UNLINK', unpack(KEYS))
redis.call('HSET', KEYS[1], 'fence', ARGV[1])
return 1
`);
