/**
 * Adds points to a window for work that is done, also beyond the points of the window: such a debt makes the window longer by
 * the time in which as many points are granted.
 *
 * Key and arguments: those of CONSUME_POINTS. No result.
 */
export const CHARGE_POINTS = `
redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local used = redis.call('incrby', KEYS[1], ARGV[1])
local debt = math.min(tonumber(ARGV[1]), used - tonumber(ARGV[3]))
if debt > 0 then
  local longer = math.ceil(debt * tonumber(ARGV[2]) * 1000 / tonumber(ARGV[3]))
  redis.call('pexpire', KEYS[1], string.format('%.0f', redis.call('pttl', KEYS[1]) + longer))
end
`;
