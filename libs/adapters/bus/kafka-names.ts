import { type Topic } from '@fresnel/contracts/messages';
import { type KafkaConfig } from './kafka-client';

/** Name of a topic in the cluster: `KAFKA_PREFIX` and the name that the topic is declared with. */
export function topicNameOf(
  { prefix = '' }: Pick<KafkaConfig, 'prefix'>,
  { name }: Pick<Topic<never>, 'name'>,
): string {
  return `${prefix}${name}`;
}

/** Name of a consumer group in the cluster: `KAFKA_PREFIX` and the group's own name. */
export function groupNameOf({ prefix = '' }: Pick<KafkaConfig, 'prefix'>, group: string): string {
  return `${prefix}${group}`;
}
