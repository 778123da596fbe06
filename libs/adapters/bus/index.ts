export { type Batch, type Bus, BUS, type Consumer, OffsetOutOfRangeError, type SizeLimit } from './bus';
export { InMemoryBus, type InMemoryBusOptions } from './in-memory.bus';
export { type KafkaSasl, type KafkaConfig, type KafkaTls, type SaslMechanism } from './kafka-client';
export { KafkaPermanentError, TopicMismatchError } from './kafka-errors';
export { topicNameOf } from './kafka-names';
export { createTopics, type Replication, type TopicLayout } from './kafka-topics';
export { KafkaBus, type KafkaBusOptions } from './kafka.bus';
export { type MemberTiming } from './kafka.membership';
export { type PublishedRecord, readLast } from './kafka.read-last';
