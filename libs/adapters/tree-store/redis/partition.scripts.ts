import { HASH_BYTES } from '@fresnel/domain/primitives';
import { defineScript } from './script-runner';

/*
 * Scripts over `PartitionKeys`: KEYS are position, trees, slots; the first ARGV is the partition's name.
 *
 * Epochs, offsets and slots are padded decimals (`padded`), so that they sort as text and stay exact; '' says none. An
 * epoch of '' marks a commit that comes from no bus, and is not compared with anything.
 */

/**
 * Makes the caller the one writer of a partition.
 *
 * Epochs are microseconds, not a count: one that was given before Redis lost everything is never given again.
 *
 * ARGV: how many partitions there are: each is waited for. Out: the epoch, the offset, and the trees of the partition with '1' for each that has a finished commit.
 */
export const CLAIM_PARTITION = defineScript(`
local time = redis.call('TIME')
local held = redis.call('HMGET', KEYS[1], 'epoch', 'offset')
local epoch = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), tonumber(held[1] or 0) + 1)
epoch = string.format('%020.0f', epoch)
redis.call('HSET', KEYS[1], 'epoch', epoch)
for partition = 0, tonumber(ARGV[2]) - 1 do redis.call('HSETNX', KEYS[3], tostring(partition), '') end
return {epoch, held[2] or '', redis.call('HGETALL', KEYS[2])}
`);

/** ARGV: epoch. Forgets where the partition stands and what it met: a tree has to be built again. */
export const RESTART_PARTITION = defineScript(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], 'offset', 'blocks')
redis.call('HSET', KEYS[3], ARGV[1], '')
return 1
`);

/** ARGV: epoch, from, to. Ends the script with 0 unless the writer may move the partition from there to there. */
const REQUIRE_POSITION = `
local held = redis.call('HMGET', KEYS[1], 'epoch', 'offset')
if ARGV[2] ~= '' then
  if held[1] ~= ARGV[2] then return 0 end
  if held[2] and held[2] ~= ARGV[3] and held[2] ~= ARGV[4] then return 0 end
end
`;

/**
 * The first step of a commit.
 *
 * ARGV: epoch, from, to, the trees that change, and '1' to make them trees of the partition. Out: the slot reached, the
 * trees of the partition, and those of the given ones that are not among them. 0: another writer has taken over.
 */
export const BEGIN_COMMIT = defineScript(`
${REQUIRE_POSITION}
local unknown = {}
for at = 1, #ARGV[5], ${HASH_BYTES} do
  local tree = string.sub(ARGV[5], at, at + ${HASH_BYTES - 1})
  if ARGV[6] == '1' then redis.call('HSETNX', KEYS[2], tree, '0') end
  if redis.call('HEXISTS', KEYS[2], tree) == 0 then unknown[#unknown + 1] = tree end
end
redis.call('HSETNX', KEYS[3], ARGV[1], '')
return {redis.call('HGET', KEYS[3], ARGV[1]), redis.call('HKEYS', KEYS[2]), unknown}
`);

/**
 * The last step of a commit: moves position and slot.
 *
 * ARGV: epoch, from, to, the trees that changed, the slot, and the blocks to remember ('': as they are). 0: another writer
 * has taken over.
 */
export const FINISH_COMMIT = defineScript(`
${REQUIRE_POSITION}
if ARGV[2] ~= '' then redis.call('HSET', KEYS[1], 'offset', ARGV[4]) end
for at = 1, #ARGV[5], ${HASH_BYTES} do
  redis.call('HSET', KEYS[2], string.sub(ARGV[5], at, at + ${HASH_BYTES - 1}), '1')
end
if ARGV[6] ~= '' then redis.call('HSET', KEYS[3], ARGV[1], ARGV[6]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'blocks', ARGV[7]) end
return 1
`);
