export { InMemoryBusModule } from './in-memory-bus.module';
export { KAFKA_CONNECTION, KafkaBusModule, type KafkaConnection } from './kafka-bus.module';
