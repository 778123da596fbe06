import { HASH_BYTES } from '@fresnel/domain/primitives';
import { defineScript } from './script-runner';
import { ELEMENT_BYTES, NULLIFIER_BYTES, NUMBER_BYTES, PAGE_RECORD_BYTES } from '../tree-records';

/*
 * Scripts that load a tree. It is written in chunks to keys that only this load has, and replaces the stored tree in one step, so that
 * readers see the stored tree until then.
 */

/** Longer than any load takes: the keys of a load that was given up vanish. */
const KEPT_SECONDS = 3_600;

/** unpack() is limited to a few thousand values. */
const VALUES_PER_COMMAND = 2_000;

/** Calls a command with the collected values. */
const FLUSH = `
local function flush(command, values)
  if #values > 0 then redis.call(command, KEYS[1], unpack(values)) end
  return {}
end`;

const EXPIRE = `for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ${KEPT_SECONDS}) end`;

/** KEYS: elements. ARGV: elements. */
export const LOAD_ELEMENTS = defineScript(`
${FLUSH}
local values = {}
for at = 1, #ARGV[1], ${ELEMENT_BYTES} do
  values[#values + 1] = '0'
  values[#values + 1] = string.sub(ARGV[1], at, at + ${ELEMENT_BYTES - 1})
  if #values == ${VALUES_PER_COMMAND} then values = flush('ZADD', values) end
end
flush('ZADD', values)
${EXPIRE}
`);

/** KEYS: pages. ARGV: pages. */
export const LOAD_PAGES = defineScript(`
${FLUSH}
local values = {}
for at = 1, #ARGV[1], ${PAGE_RECORD_BYTES} do
  values[#values + 1] = string.sub(ARGV[1], at, at + ${NUMBER_BYTES - 1})
  values[#values + 1] = string.sub(ARGV[1], at + ${NUMBER_BYTES}, at + ${PAGE_RECORD_BYTES - 1})
  if #values == ${VALUES_PER_COMMAND} then values = flush('HSET', values) end
end
flush('HSET', values)
${EXPIRE}
`);

/** KEYS: queue, queued addresses (a state tree: none). ARGV: positions and queued values. */
export const LOAD_QUEUE = defineScript(`
for at = 1, #ARGV[1], ${NUMBER_BYTES + HASH_BYTES} do
  local member = string.sub(ARGV[1], at, at + ${NUMBER_BYTES + HASH_BYTES - 1})
  redis.call('ZADD', KEYS[1], 0, member)
  if KEYS[2] then redis.call('SADD', KEYS[2], string.sub(member, ${NUMBER_BYTES + 1})) end
end
${EXPIRE}
`);

/** KEYS: input queue. ARGV: entries of the input queue. */
export const LOAD_INPUT_QUEUE = defineScript(`
for at = 1, #ARGV[1], ${NULLIFIER_BYTES} do
  redis.call('ZADD', KEYS[1], 0, string.sub(ARGV[1], at, at + ${NULLIFIER_BYTES - 1}))
end
${EXPIRE}
`);

/** KEYS: undo. ARGV: number and record of each. */
export const LOAD_UNDO = defineScript(`
for at = 1, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[at], ARGV[at + 1]) end
${EXPIRE}
`);

/**
 * Replaces the stored tree by the loaded one, if the stored one is at the entry that was seen before the journal was read, and the
 * load has as many entries as were sent. A queue or an undo log without entries has no key.
 *
 * KEYS: state, six keys of the tree, the same six of the load. ARGV: the entry that was seen ('': no tree), entry, slot and blockhash
 * ('': none), head, height, kind, numbers of elements, pages, queued values, undo records and entries of the input queue. Result: 1;
 * or 0: another tree is stored, or a part of the load is lost.
 */
export const FINISH_LOAD = defineScript(`
if (redis.call('HGET', KEYS[1], 'entry') or '') ~= ARGV[1] then return 0 end
local counts = {redis.call('ZCARD', KEYS[8]), redis.call('HLEN', KEYS[9]), redis.call('ZCARD', KEYS[10]),
  redis.call('ZCARD', KEYS[12]), redis.call('ZCARD', KEYS[13])}
for at, count in ipairs(counts) do if count ~= tonumber(ARGV[at + 7]) then return 0 end end
redis.call('UNLINK', unpack(KEYS, 2, 7))
for at = 2, 7 do
  if redis.call('EXISTS', KEYS[at + 6]) == 1 then
    redis.call('RENAME', KEYS[at + 6], KEYS[at])
    redis.call('PERSIST', KEYS[at])
  end
end
redis.call('HSET', KEYS[1], 'entry', ARGV[2], 'nodesEntry', ARGV[2], 'slot', ARGV[3], 'blockhash', ARGV[4], 'head', ARGV[5],
  'height', ARGV[6], 'kind', ARGV[7])
return 1
`);

/**
 * Deletes a tree. KEYS: state, six keys of the tree. ARGV: the entry that was seen. Result: 1; or 0: the tree is at another entry.
 */
export const DELETE_TREE = defineScript(`
if (redis.call('HGET', KEYS[1], 'entry') or '') ~= ARGV[1] then return 0 end
redis.call('UNLINK', unpack(KEYS))
return 1
`);
