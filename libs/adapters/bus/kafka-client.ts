import { type Logger } from '@fresnel/platform';
import { Kafka, type KafkaConfig as KafkaJsConfig, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import { stopIdlePolling } from './kafkajs.request-queue';

/** How to reach a Kafka cluster. */
export interface KafkaConfig {
  brokers: string[];
  /** Name of this client in the brokers' logs and quotas. */
  clientId: string;
  /** TLS; `true` uses the system's certificate authorities. Certificates and keys are PEM. */
  ssl?: KafkaTls | boolean;
  sasl?: KafkaSasl;
  /** Put before the names of topics and consumer groups. Default: none. */
  prefix?: string;
  /** A consumer that sends no heartbeat for this time loses its partitions. Default: 10 s. */
  sessionTimeoutMs?: number;
}

export interface KafkaTls {
  ca?: string;
  cert?: string;
  key?: string;
  rejectUnauthorized?: boolean;
}

export interface KafkaSasl {
  mechanism: SaslMechanism;
  username: string;
  password: string;
}

export type SaslMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

/**
 * The client gives up after a few seconds, so that a shutdown does not wait for it. Callers that wait for an unreachable
 * broker retry in their own loop.
 */
const RETRIES = { initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2, retries: 4 };

export function createKafkaClient(config: KafkaConfig, logger: Logger): Kafka {
  stopIdlePolling();
  return new Kafka(describeClient(config, logger));
}

export function describeClient({ brokers, clientId, ssl, sasl }: KafkaConfig, logger: Logger): KafkaJsConfig {
  return {
    brokers,
    clientId,
    ssl,
    sasl: sasl && describeSasl(sasl),
    connectionTimeout: 3_000,
    retry: RETRIES,
    logLevel: logger.isLevelEnabled('trace') ? logLevel.DEBUG : logLevel.INFO,
    logCreator: () => (entry) => {
      writeEntry(logger, entry);
    },
  };
}

/** The client's type is a union by mechanism, so each mechanism needs its own case. */
function describeSasl({ mechanism, username, password }: KafkaSasl): SASLOptions {
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}

/**
 * Logs at debug level: the client logs each retry, ten per second while a broker is unreachable. Callers log final
 * failures.
 */
function writeEntry(logger: Logger, { namespace, level, log: { message, ...values } }: LogEntry): void {
  const line = { kafka: namespace, ...values, timestamp: undefined, logger: undefined, stack: undefined };
  if (level === logLevel.DEBUG) logger.trace(line, message);
  else logger.debug(line, message);
}
