export { FencedStore } from './fenced-store';
export { createTestTopic } from './kafka-topic';
export { CONTRACT_PARTITIONS, type Numbered, numberedTopic } from './numbered-topic';
