export { type Batch, type Bus, BUS, type Consumer, OffsetOutOfRangeError } from './bus';
export { InMemoryBus, type InMemoryBusOptions } from './in-memory.bus';
