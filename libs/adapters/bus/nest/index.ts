export { InMemoryBusModule } from './in-memory-bus.module';
export { KAFKA_CONNECTION, KafkaBusModule } from './kafka-bus.module';
