import { HASH_BYTES } from '@fresnel/domain/primitives';
import { LEVELS_PER_PAGE, pageOf } from '@fresnel/domain/trees';
import { defineScript } from './script-runner';
import { ELEMENT_BYTES, NUMBER_BYTES, PAGE_RECORD_BYTES } from './tree-codec';

/*
 * Scripts over `TreeKeys`. Records of fixed length come one behind the other in one argument, as `tree-codec.ts` writes
 * them. Bytes are compared by Redis (lexicographic ranges), never by Lua, whose order depends on the locale; padded
 * decimals may be compared by both.
 */

/** From the first page of a group of levels to the first page of the next. */
const GROUP_STRIDE = pageOf({ level: LEVELS_PER_PAGE, index: 0 });
const LEAVES_BELOW_PAGE = 2 ** LEVELS_PER_PAGE;

/** Of `WRITE_TREE`: undo records come last. */
const UNDO_ARGS_FROM = 14;

/** Ends behind every member that begins with a value. */
const BEHIND = `local behind = string.rep('\\255', ${ELEMENT_BYTES - HASH_BYTES + 1})`;

/**
 * Lets nobody but the writer of an epoch, or of a later one, write to a tree. A tree of which a part is lost is removed.
 *
 * KEYS: state, elements, pages, queue, waiting, undo. ARGV: epoch. Out: 1 where the tree is there, else 0.
 */
export const FENCE_TREE = defineScript(`
local held = redis.call('HMGET', KEYS[1], 'fence', 'head')
local fence = held[1]
if not fence or fence < ARGV[1] then fence = ARGV[1] end
local isWhole = held[2] and redis.call('EXISTS', KEYS[2], KEYS[3]) == 2
if not isWhole then redis.call('DEL', unpack(KEYS)) end
redis.call('HSET', KEYS[1], 'fence', fence)
return isWhole and 1 or 0
`);

/**
 * Writes what a commit changes in a tree, or just how far it is.
 *
 * The fence must be there and be our own, so that nothing is written to a tree that another writer has taken, or that was
 * lost since the commit began. A tree that is already as far as the commit's end stays as it is, its slot with it: this
 * is a repeat, or a message that was long on its way.
 *
 * KEYS: state, elements, pages, queue, waiting, undo. ARGV: epoch ('': not compared), offset of the commit's end, slot,
 * head ('': unchanged), height, values of elements that go, elements, pages, where the queue is cut ('': nowhere), queued
 * addresses behind their positions, start of the queue, number of the first undo record, of the oldest to keep, and the
 * records, one each. Out: 1, or 0 where another writer has taken over.
 */
export const WRITE_TREE = defineScript(`
local epoch, offset, slot, head, height, removed, elements, pages = unpack(ARGV, 1, 8)
local queueTruncatedFrom, queued, queueStart, undoFrom, undoKept = unpack(ARGV, 9, ${UNDO_ARGS_FROM - 1})
local held = redis.call('HMGET', KEYS[1], 'fence', 'offset', 'head')
if epoch ~= '' and held[1] ~= epoch then return 0 end
if held[3] and redis.call('EXISTS', KEYS[2], KEYS[3]) < 2 then return 0 end
if offset ~= '' and held[2] and held[2] >= offset then return 1 end

local function removeQueued(min, max)
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[4], min, max)) do
    redis.call('ZREM', KEYS[4], member)
    redis.call('SREM', KEYS[5], string.sub(member, ${NUMBER_BYTES + 1}))
  end
end

if head ~= '' then
  redis.call('HSET', KEYS[1], 'head', head, 'height', height)
  ${BEHIND}
  for at = 1, #removed, ${HASH_BYTES} do
    local value = string.sub(removed, at, at + ${HASH_BYTES - 1})
    redis.call('ZREMRANGEBYLEX', KEYS[2], '[' .. value, '[' .. value .. behind)
  end
  for at = 1, #elements, ${ELEMENT_BYTES} do
    local member = string.sub(elements, at, at + ${ELEMENT_BYTES - 1})
    local value = string.sub(member, 1, ${HASH_BYTES})
    redis.call('ZREMRANGEBYLEX', KEYS[2], '[' .. value, '[' .. value .. behind)
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
    redis.call('SADD', KEYS[5], string.sub(member, ${NUMBER_BYTES + 1}))
  end
  removeQueued('-', '(' .. queueStart)
  redis.call('ZREMRANGEBYSCORE', KEYS[6], undoFrom, '+inf')
  for at = ${UNDO_ARGS_FROM}, #ARGV do
    redis.call('ZADD', KEYS[6], undoFrom + at - ${UNDO_ARGS_FROM}, ARGV[at])
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', '(' .. undoKept)
end
if offset ~= '' then redis.call('HSET', KEYS[1], 'offset', offset) end
if slot ~= '' then redis.call('HSET', KEYS[1], 'slot', slot) end
return 1
`);

/** KEYS: elements. ARGV: values. Out: for each the element below it, '' where there is none. */
export const FIND_LOW_ELEMENTS = defineScript(`
local lows = {}
for at = 1, #ARGV[1], ${HASH_BYTES} do
  local value = string.sub(ARGV[1], at, at + ${HASH_BYTES - 1})
  lows[#lows + 1] = redis.call('ZREVRANGEBYLEX', KEYS[1], '(' .. value, '-', 'LIMIT', 0, 1)[1] or ''
end
return lows
`);

/**
 * All that proofs are made of. Pages are handed out whole, each once: this leaves Redis half the work that cutting the
 * siblings out would cost it.
 *
 * KEYS: state, elements, pages, waiting. ARGV: addresses.
 * Out: nothing for a tree that is not there or knows no slot; 0 where a part of it is lost; else head, slot, for each
 * address the element below it ('' where there is none), '1' for each that is an element or waits, ids of pages, pages.
 */
export const READ_PROOFS = defineScript(`
local head, slot, height = unpack(redis.call('HMGET', KEYS[1], 'head', 'slot', 'height'))
if not head or not slot then return false end
if redis.call('EXISTS', KEYS[2], KEYS[3]) < 2 then return 0 end

${BEHIND}
local lows, taken, ids, isListed = {}, {}, {}, {}
for at = 1, #ARGV[1], ${HASH_BYTES} do
  local address = string.sub(ARGV[1], at, at + ${HASH_BYTES - 1})
  local upTo = redis.call('ZREVRANGEBYLEX', KEYS[2], '[' .. address .. behind, '-', 'LIMIT', 0, 2)
  local isElement = upTo[1] and string.sub(upTo[1], 1, ${HASH_BYTES}) == address
  local low = upTo[isElement and 2 or 1] or ''
  local exists = isElement or redis.call('SISMEMBER', KEYS[4], address) == 1
  lows[#lows + 1] = low
  taken[#taken + 1] = exists and '1' or '0'
  if low ~= '' then
    -- As pagesOnPath() names them.
    local page = struct.unpack('>I${NUMBER_BYTES}', low, ${HASH_BYTES + 1})
    for group = 0, math.ceil(tonumber(height) / ${LEVELS_PER_PAGE}) - 1 do
      page = math.floor(page / ${LEAVES_BELOW_PAGE})
      local id = struct.pack('>I${NUMBER_BYTES}', group * ${GROUP_STRIDE} + page)
      if not isListed[id] then
        isListed[id] = true
        ids[#ids + 1] = id
      end
    end
  end
end

-- unpack() takes some thousands at most.
local pages = {}
for from = 1, #ids, 1000 do
  local found = redis.call('HMGET', KEYS[3], unpack(ids, from, math.min(#ids, from + 999)))
  for _, page in ipairs(found) do
    if not page then return 0 end
    pages[#pages + 1] = page
  end
end
return {head, slot, lows, table.concat(taken), table.concat(ids), pages}
`);
