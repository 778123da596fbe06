import { HASH_BYTES } from '@fresnel/domain/primitives';
import { LEVELS_PER_PAGE, pageOf } from '@fresnel/domain/trees';
import { defineScript } from './script-runner';
import { ELEMENT_BYTES, NULLIFIER_BYTES, NUMBER_BYTES, PAGE_RECORD_BYTES } from '../tree-records';

/*
 * Scripts that use `TreeKeys`. Records of fixed length are concatenated in one argument, in the layout of `tree-records.ts`.
 * Bytes are compared by Redis (lexicographic ranges) and never by Lua, whose order depends on the locale. The id of an entry is
 * text; '' means none: the tree does not exist.
 */

/** Difference between the first page ids of two consecutive groups of levels. */
const GROUP_STRIDE = pageOf({ level: LEVELS_PER_PAGE, index: 0 });
const LEAVES_BELOW_PAGE = 2 ** LEVELS_PER_PAGE;

/** Index of the first undo record among the arguments of `APPLY_ENTRY`. */
const UNDO_ARGS_FROM = 20;

/**
 * Whether the tree with state KEYS[1], elements KEYS[2] and pages KEYS[3] has all its keys. Queues and undo records have no
 * key while they are empty, and a state tree has no elements.
 */
const HAS_ALL_KEYS = `
local function hasAllKeys()
  if redis.call('HGET', KEYS[1], 'kind') == 'state' then return redis.call('EXISTS', KEYS[3]) == 1 end
  return redis.call('EXISTS', KEYS[2], KEYS[3]) == 2
end`;

/**
 * A suffix that is greater than the rest of every member: `value .. suffix` sorts after all members with that value.
 */
const MAX_SUFFIX = `local maxSuffix = string.rep('\\255', ${ELEMENT_BYTES - HASH_BYTES + 1})`;

/**
 * The state of a tree. KEYS: state, elements, pages. Result: entry, nodes entry, head ('' for a tree that does not exist), and whether
 * all its parts are stored: 1 or 0.
 */
export const LOOK_AT_TREE = defineScript(`
${HAS_ALL_KEYS}
local entry, nodesEntry, head = unpack(redis.call('HMGET', KEYS[1], 'entry', 'nodesEntry', 'head'))
if not entry then return {'', '', '', 1} end
return {entry, nodesEntry, head, hasAllKeys() and 1 or 0}
`);

/** Ends the script with 0 if the field ARGV[1] of the state does not have the entry ARGV[2], and with 1 if a part of the tree is lost. */
const REQUIRE_ENTRY = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
if not hasAllKeys() then return 1 end`;

/**
 * Runs a command that reads a tree if the tree is at an entry. KEYS: state, elements, pages, key of the command. ARGV: field and entry,
 * the command, and its other arguments. Result: that of the command; 0: the tree is at another entry; or 1: a part of it is lost.
 */
export const READ_AT = defineScript(`
${HAS_ALL_KEYS}
${REQUIRE_ENTRY}
return redis.call(ARGV[3], KEYS[4], unpack(ARGV, 4))
`);

/**
 * Applies an entry to a tree that is at the entry before it. A tree that is at the entry already stays unchanged: this is a repetition,
 * or a delayed request.
 *
 * KEYS: state, elements, pages, queue, queued addresses, undo, input queue. ARGV: the entry that the tree must be at ('': the tree must
 * not exist), the new entry, its slot and blockhash ('': none), '1' if it changes more than the ends of queues, head, height, kind,
 * values of removed elements, elements, pages; of the queue, then of the input queue: the position from which it is truncated
 * ('': none), positions and entries, and its start; number of the first undo record, number of the oldest one to keep, and the undo
 * records. Result: 1; or 0: the tree is at another entry, or a part of it is lost.
 */
export const APPLY_ENTRY = defineScript(`
${HAS_ALL_KEYS}
local on, entry, slot, blockhash, changesNodes, head, height, kind, removed, elements, pages = unpack(ARGV, 1, 11)
local queueTruncatedFrom, queued, queueStart = unpack(ARGV, 12, 14)
local inputTruncatedFrom, nullifiers, inputStart, undoFrom, undoKept = unpack(ARGV, 15, 19)
local stored = redis.call('HGET', KEYS[1], 'entry') or ''
if stored == entry then return 1 end
if stored ~= on then return 0 end
if on == '' then redis.call('UNLINK', unpack(KEYS)) elseif not hasAllKeys() then return 0 end

local function removeQueued(min, max)
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[4], min, max)) do
    redis.call('ZREM', KEYS[4], member)
    if kind == 'address' then redis.call('SREM', KEYS[5], string.sub(member, ${NUMBER_BYTES + 1})) end
  end
end

${MAX_SUFFIX}
for at = 1, #removed, ${HASH_BYTES} do
  local value = string.sub(removed, at, at + ${HASH_BYTES - 1})
  redis.call('ZREMRANGEBYLEX', KEYS[2], '[' .. value, '[' .. value .. maxSuffix)
end
for at = 1, #elements, ${ELEMENT_BYTES} do
  local member = string.sub(elements, at, at + ${ELEMENT_BYTES - 1})
  local value = string.sub(member, 1, ${HASH_BYTES})
  redis.call('ZREMRANGEBYLEX', KEYS[2], '[' .. value, '[' .. value .. maxSuffix)
  redis.call('ZADD', KEYS[2], 0, member)
end
for at = 1, #pages, ${PAGE_RECORD_BYTES} do
  local nodes = at + ${NUMBER_BYTES}
  redis.call('HSET', KEYS[3], string.sub(pages, at, nodes - 1), string.sub(pages, nodes, at + ${PAGE_RECORD_BYTES - 1}))
end
if queueTruncatedFrom ~= '' then removeQueued('[' .. queueTruncatedFrom, '+') end
for at = 1, #queued, ${NUMBER_BYTES + HASH_BYTES} do
  local member = string.sub(queued, at, at + ${NUMBER_BYTES + HASH_BYTES - 1})
  redis.call('ZADD', KEYS[4], 0, member)
  if kind == 'address' then redis.call('SADD', KEYS[5], string.sub(member, ${NUMBER_BYTES + 1})) end
end
removeQueued('-', '(' .. queueStart)
if inputTruncatedFrom ~= '' then redis.call('ZREMRANGEBYLEX', KEYS[7], '[' .. inputTruncatedFrom, '+') end
for at = 1, #nullifiers, ${NULLIFIER_BYTES} do
  redis.call('ZADD', KEYS[7], 0, string.sub(nullifiers, at, at + ${NULLIFIER_BYTES - 1}))
end
redis.call('ZREMRANGEBYLEX', KEYS[7], '-', '(' .. inputStart)
redis.call('ZREMRANGEBYSCORE', KEYS[6], undoFrom, '+inf')
for at = ${UNDO_ARGS_FROM}, #ARGV do
  redis.call('ZADD', KEYS[6], undoFrom + at - ${UNDO_ARGS_FROM}, ARGV[at])
end
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', '(' .. undoKept)
redis.call('HSET', KEYS[1], 'entry', entry, 'slot', slot, 'blockhash', blockhash, 'head', head, 'height', height, 'kind', kind)
if changesNodes == '1' then redis.call('HSET', KEYS[1], 'nodesEntry', entry) end
return 1
`);

/**
 * Replaces the mark of a partition.
 *
 * KEYS: marks. ARGV: partition, the id of the mark that must be stored ('': none), the new mark. Result: 1, also if it is stored
 * already; or 0: another mark is stored.
 */
export const MOVE_MARK = defineScript(`
local stored = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if stored == ARGV[3] then return 1 end
if string.sub(stored, 1, #ARGV[2]) ~= ARGV[2] or (ARGV[2] == '' and stored ~= '') then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
`);

/**
 * Finds low elements. KEYS: state, elements, pages. ARGV: field and entry, values. Result: the low element of each value, '' if there is
 * none; 0: the tree is at another entry; or 1: a part of it is lost.
 */
export const FIND_LOW_ELEMENTS = defineScript(`
${HAS_ALL_KEYS}
${REQUIRE_ENTRY}
local lows = {}
for at = 1, #ARGV[3], ${HASH_BYTES} do
  local value = string.sub(ARGV[3], at, at + ${HASH_BYTES - 1})
  lows[#lows + 1] = redis.call('ZREVRANGEBYLEX', KEYS[2], '(' .. value, '-', 'LIMIT', 0, 1)[1] or ''
end
return lows
`);

/** Collects the ids of the pages on paths of leaves, each once, and reads these pages. KEYS[3]: pages. */
const COLLECT_PAGES = `
local ids, isListed = {}, {}
-- The same ids as pagesOnPath().
local function collect(leafIndex, height)
  local page = leafIndex
  for group = 0, math.ceil(tonumber(height) / ${LEVELS_PER_PAGE}) - 1 do
    page = math.floor(page / ${LEAVES_BELOW_PAGE})
    local id = struct.pack('>I${NUMBER_BYTES}', group * ${GROUP_STRIDE} + page)
    if not isListed[id] then
      isListed[id] = true
      ids[#ids + 1] = id
    end
  end
end
-- unpack() is limited to a few thousand values.
local function readCollected()
  local pages = {}
  for from = 1, #ids, 1000 do
    local found = redis.call('HMGET', KEYS[3], unpack(ids, from, math.min(#ids, from + 999)))
    for _, page in ipairs(found) do pages[#pages + 1] = page end
  end
  return pages
end`;

/**
 * Reads the data for proofs. Returns whole pages, each once: extracting the siblings in Lua would take Redis twice as
 * long.
 *
 * KEYS: state, elements, pages, queued addresses. ARGV: addresses. Result: nil for a state tree, and for a tree that does
 * not exist; 0 if a part of it is lost; else entry, slot, blockhash, head, the low element of each address ('' if there is none), '1' for
 * each address that is an element or queued and '0' for others, page ids, pages.
 */
export const READ_PROOFS = defineScript(`
${HAS_ALL_KEYS}
${COLLECT_PAGES}
local entry, slot, blockhash, head, height, kind =
  unpack(redis.call('HMGET', KEYS[1], 'entry', 'slot', 'blockhash', 'head', 'height', 'kind'))
if not entry or kind ~= 'address' then return false end
if not hasAllKeys() then return 0 end

${MAX_SUFFIX}
local lows, existing = {}, {}
for at = 1, #ARGV[1], ${HASH_BYTES} do
  local address = string.sub(ARGV[1], at, at + ${HASH_BYTES - 1})
  local upTo = redis.call('ZREVRANGEBYLEX', KEYS[2], '[' .. address .. maxSuffix, '-', 'LIMIT', 0, 2)
  local isElement = upTo[1] and string.sub(upTo[1], 1, ${HASH_BYTES}) == address
  local low = upTo[isElement and 2 or 1] or ''
  local exists = isElement or redis.call('SISMEMBER', KEYS[4], address) == 1
  lows[#lows + 1] = low
  existing[#existing + 1] = exists and '1' or '0'
  if low ~= '' then collect(struct.unpack('>I${NUMBER_BYTES}', low, ${HASH_BYTES + 1}), height) end
end
local pages = readCollected()
for _, page in ipairs(pages) do if not page then return 0 end end
return {entry, slot, blockhash, head, lows, table.concat(existing), table.concat(ids), pages}
`);

/**
 * Reads the pages on the paths of leaves of a state tree.
 *
 * KEYS: state, elements, pages. ARGV: leaf indexes. Result: nil for an address tree, and for a tree that does not exist; 0 if a part
 * of it is lost; else entry, slot, blockhash, head, page ids, pages ('' for one that does not exist).
 */
export const READ_LEAVES = defineScript(`
${HAS_ALL_KEYS}
${COLLECT_PAGES}
local entry, slot, blockhash, head, height, kind =
  unpack(redis.call('HMGET', KEYS[1], 'entry', 'slot', 'blockhash', 'head', 'height', 'kind'))
if not entry or kind ~= 'state' then return false end
if not hasAllKeys() then return 0 end
for at = 1, #ARGV[1], ${NUMBER_BYTES} do collect(struct.unpack('>I${NUMBER_BYTES}', ARGV[1], at), height) end
local pages = readCollected()
for at, page in ipairs(pages) do pages[at] = page or '' end
return {entry, slot, blockhash, head, table.concat(ids), pages}
`);
