import { readFileSync } from 'node:fs';
import { messageOf } from '@fresnel/domain/primitives';
import { flag, integer, oneOf, type readConfig, ConfigError, text } from '@fresnel/platform';
import { makeValidator } from 'envalid';
import { mandatory, required } from './required';

const SASL_MECHANISMS = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** A topic's name has 249 characters at most; those of ours are much shorter than what is left. */
const MAX_PREFIX_LENGTH = 200;

/** What Kafka admits in the name of a topic. */
const kafkaPrefix = makeValidator<string>((value) => {
  if (!/^[a-zA-Z0-9._-]*$/.test(value)) throw new Error('letters, digits, ".", "_" and "-" only');
  if (value.length > MAX_PREFIX_LENGTH) throw new Error(`at most ${MAX_PREFIX_LENGTH} characters`);
  return value;
});

/** How to reach the brokers. */
export const KAFKA_CONFIG = {
  KAFKA_BROKERS: mandatory(text({ default: undefined, desc: 'Brokers as host:port, separated by commas' })),
  KAFKA_PREFIX: {
    ...kafkaPrefix({
      default: '',
      desc: 'Prefix of topic and consumer group names; lets deployments share a Kafka',
    }),
    defaultInWords: 'none',
  },
  KAFKA_TLS: flag({ default: false, desc: 'Speak TLS with the brokers' }),
  KAFKA_TLS_CA_FILE: {
    ...text({ default: undefined, desc: 'PEM file with the authority of the brokers’ certificates' }),
    defaultInWords: 'those that the system trusts',
  },
  KAFKA_TLS_CERT_FILE: text({
    default: undefined,
    desc: 'PEM file with our own certificate, where brokers ask for one',
  }),
  KAFKA_TLS_KEY_FILE: text({ default: undefined, desc: 'PEM file with its key' }),
  KAFKA_SASL_MECHANISM: oneOf(SASL_MECHANISMS)({ default: 'none', desc: `One of ${SASL_MECHANISMS.join(', ')}` }),
  KAFKA_SASL_USERNAME: text({ default: undefined, desc: 'User name for SASL' }),
  KAFKA_SASL_PASSWORD: text({ default: undefined, desc: 'Password for SASL' }),
};

/** How topics are made. */
export const TOPIC_CONFIG = {
  KAFKA_PARTITIONS: integer(1, 1_000)({ default: 6, desc: 'Partitions of each topic; cannot be changed later' }),
  KAFKA_REPLICATION_FACTOR: integer(1, 15)({ default: 1, desc: 'Copies of each partition' }),
  KAFKA_MIN_INSYNC_REPLICAS: integer(1, 15)({ default: 1, desc: 'Copies that must have a record before it counts' }),
  KAFKA_RETENTION_HOURS: integer(
    1,
    876_000,
  )({
    default: 168,
    desc: 'How long slot-events are kept; tree-updates are kept for ever',
  }),
};

type GivenKafkaConfig = Pick<ReturnType<typeof readConfig<typeof KAFKA_CONFIG>>, keyof typeof KAFKA_CONFIG>;

/** Reads the connection. @throws ConfigError */
export function toKafkaConfig(given: GivenKafkaConfig, clientId: string) {
  const mechanism = given.KAFKA_SASL_MECHANISM;
  return {
    brokers: required('KAFKA_BROKERS', given.KAFKA_BROKERS)
      .split(',')
      .map((broker) => broker.trim()),
    clientId,
    prefix: given.KAFKA_PREFIX,
    ssl: given.KAFKA_TLS && readTls(given),
    ...(mechanism === 'none'
      ? {}
      : { sasl: { mechanism, username: given.KAFKA_SASL_USERNAME ?? '', password: given.KAFKA_SASL_PASSWORD ?? '' } }),
  };
}

function readTls(given: GivenKafkaConfig) {
  const read = (name: 'KAFKA_TLS_CA_FILE' | 'KAFKA_TLS_CERT_FILE' | 'KAFKA_TLS_KEY_FILE') => {
    const file = given[name];
    if (file === undefined) return undefined;
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new ConfigError(`invalid configuration:\n  ${name}: ${messageOf(error)}`);
    }
  };
  return { ca: read('KAFKA_TLS_CA_FILE'), cert: read('KAFKA_TLS_CERT_FILE'), key: read('KAFKA_TLS_KEY_FILE') };
}
