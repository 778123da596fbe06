// The clock and the timers of the product. A separate entry point, so that nothing else is loaded with it.
export { after, every, now, sleep, type TimeSource, type Timer, timeout, useTime, wait, wallClock } from './time';
