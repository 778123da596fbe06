import { HASH_BYTES } from '@fresnel/domain/primitives';
import { defineScript } from './script-runner';

/*
 * Scripts that use `PartitionKeys`. KEYS are position, trees, slots; the first ARGV is the partition.
 *
 * Epochs, offsets and slots are zero-padded decimals (`padded`): exact, and sortable as text. '' means none. A commit that
 * does not come from a bus has the epoch '', and its position is not checked.
 */

/**
 * Claims a partition: makes the caller its only writer.
 *
 * Epochs are times in microseconds instead of counts. So an epoch is never reused, even after Redis lost its data.
 *
 * ARGV: partition, number of partitions. Result: the epoch, the offset, and the key `trees` of the partition. Every
 * partition gets an entry in the key `slots`, so that the slot of the store is null until all partitions have one.
 */
export const CLAIM_PARTITION = defineScript(`
local time = redis.call('TIME')
local stored = redis.call('HMGET', KEYS[1], 'epoch', 'offset')
local epoch = math.max(tonumber(time[1]) * 1000000 + tonumber(time[2]), tonumber(stored[1] or 0) + 1)
epoch = string.format('%020.0f', epoch)
redis.call('HSET', KEYS[1], 'epoch', epoch)
for partition = 0, tonumber(ARGV[2]) - 1 do redis.call('HSETNX', KEYS[3], tostring(partition), '') end
return {epoch, stored[2] or '', redis.call('HGETALL', KEYS[2])}
`);

/**
 * Deletes the position, slot and recent blocks of a partition, because a tree must be rebuilt. ARGV: partition, epoch.
 */
export const RESTART_PARTITION = defineScript(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], 'offset', 'blocks')
redis.call('HSET', KEYS[3], ARGV[1], '')
return 1
`);

/**
 * Ends the script with 0 if the writer is fenced or the position is not at `from` or `to`. ARGV: partition, epoch,
 * from, to.
 */
const REQUIRE_POSITION = `
local stored = redis.call('HMGET', KEYS[1], 'epoch', 'offset')
if ARGV[2] ~= '' then
  if stored[1] ~= ARGV[2] then return 0 end
  if stored[2] and stored[2] ~= ARGV[3] and stored[2] ~= ARGV[4] then return 0 end
end
`;

/**
 * The first step of a commit.
 *
 * ARGV: partition, epoch, from, to, the changed trees, and '1' to add them to the trees of the partition. Result: the
 * slot of the partition, the key `trees`, and those changed trees that are not in it; or 0: the writer is fenced.
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
return {redis.call('HGET', KEYS[3], ARGV[1]), redis.call('HGETALL', KEYS[2]), unknown}
`);

/**
 * The last step of a commit: moves position and slot.
 *
 * ARGV: partition, epoch, from, to, the changed trees, the slot, and the recent blocks ('': unchanged). Result: 1; or
 * 0: the writer is fenced.
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

/**
 * Sets the state of a partition after its trees were loaded.
 *
 * ARGV: partition, epoch, offset ('': none), all trees, slot ('': none), recent blocks. Result: 1; or 0: the writer is fenced.
 */
export const SET_PARTITION = defineScript(`
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[2] then return 0 end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], 'offset') else redis.call('HSET', KEYS[1], 'offset', ARGV[3]) end
redis.call('HSET', KEYS[1], 'blocks', ARGV[6])
redis.call('UNLINK', KEYS[2])
for at = 1, #ARGV[4], ${HASH_BYTES} do
  redis.call('HSET', KEYS[2], string.sub(ARGV[4], at, at + ${HASH_BYTES - 1}), '1')
end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[5])
return 1
`);
