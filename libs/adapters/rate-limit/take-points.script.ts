/**
 * Takes points from a window atomically, all of them or none: gateways that share a Redis never grant more points than a
 * window has, and a rejected request takes none.
 *
 * In: the key; points to take, seconds and points of a window. Out: points used if these were granted, and milliseconds
 * until the window ends. Only the clock of Redis counts, so the gateways' clocks can differ.
 */
export const TAKE_POINTS = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local used = tonumber(redis.call('get', KEYS[1])) + tonumber(ARGV[1])
if used <= tonumber(ARGV[3]) then redis.call('incrby', KEYS[1], ARGV[1]) end
return {used, redis.call('pttl', KEYS[1])}
`;
