export { describeDeadLetters, type DeadLetterJson, toDeadLetterJson } from './describe-dead-letters';
export { describeStatus } from './describe-status';
export { type ConsumerStatus, readStatus, type Status, type StatusSources, type TreeStatus } from './read-status';
