import { messageOf } from '@fresnel/domain/primitives';
import { type Logger } from '@fresnel/platform';
import { type Admin, ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { isPermanentError, isUnreadableCompression, RESET_POSITIONS, TopicMismatchError } from './kafka-errors';

/** The broker stores records as they are published, whatever the default of its topics is. */
export const OWN_COMPRESSION = { 'compression.type': 'producer' };

/**
 * Sets the compression of a topic that has the broker's default, because it was created by an earlier version, or another one.
 * Kafka replaces all settings of the topic, so the others are sent again.
 *
 * @returns whether it was changed: brokers show that moments later
 */
export async function correctCompression(admin: Admin, name: string, logger: Logger): Promise<boolean> {
  const type = ConfigResourceTypes.TOPIC;
  const { resources } = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type, name }] });
  const settings = new Map(
    resources[0].configEntries
      .filter(({ configSource }) => configSource === ConfigSource.TOPIC_CONFIG)
      .map(({ configName, configValue }) => [configName, configValue]),
  );
  const [[setting, value]] = Object.entries(OWN_COMPRESSION);
  if (settings.get(setting) === value) return false;
  settings.set(setting, value);
  const configEntries = [...settings].map(([entry, text]) => ({ name: entry, value: text }));
  try {
    await admin.alterConfigs({ validateOnly: false, resources: [{ type, name, configEntries }] });
    logger.info({ topic: name, [setting]: value }, 'setting of a topic corrected');
    return true;
  } catch (error) {
    // Without the right to alter it, the default of the broker decides. The comparison of the layout reports a wrong one.
    if (!isPermanentError(error)) throw error;
    logger.warn({ topic: name, reason: messageOf(error) }, 'the compression of a topic could not be set');
    return false;
  }
}

/** The error of a consumer, which names what to do if it is about records with a compression that the client cannot read. */
export function explainCompression(error: unknown, topicName: string): unknown {
  if (!isUnreadableCompression(error)) return error;
  const facts = `topic ${topicName} has records that the client cannot read: ${messageOf(error)}`;
  return new TopicMismatchError(
    `${facts}. Run "migrate", which sets compression.type=producer, then ${RESET_POSITIONS}`,
    {
      cause: error,
    },
  );
}
