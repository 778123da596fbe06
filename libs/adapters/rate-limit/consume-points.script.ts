/**
 * Consumes points of a window atomically, all of them or none: gateways that share a Redis never grant more points than
 * a window has, and a rejected request consumes none.
 *
 * Key: the window. Arguments: points to consume, seconds and points of a window. Result: the points consumed including
 * these, whether granted or not, and the milliseconds until the window ends. Time is measured by Redis, so the clocks
 * of the gateways may differ.
 */
export const CONSUME_POINTS = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local used = tonumber(redis.call('get', KEYS[1])) + tonumber(ARGV[1])
if used <= tonumber(ARGV[3]) then redis.call('incrby', KEYS[1], ARGV[1]) end
return {used, redis.call('pttl', KEYS[1])}
`;
