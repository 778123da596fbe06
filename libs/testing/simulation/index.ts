export { Actors, type ActorState } from './actors';
export { SeededRandom } from './random';
export { kindOf, type Level, type Outcome, runSeed, shrink, type World } from './run-level';
export { type OperationFaults } from './operation';
export { type Fault, Scheduler, type SchedulerOptions } from './scheduler';
export { VirtualTime } from './virtual-time';
