import { type ConfigOf, fileText, flag, integer, oneOf, required, secret, text } from '@fresnel/platform';
import { makeValidator } from 'envalid';

const SASL_MECHANISMS = ['none', 'plain', 'scram-sha-256', 'scram-sha-512'] as const;

/** Kafka allows 249 characters in a topic name. The rest is enough for the names of topics and groups. */
const MAX_PREFIX_LENGTH = 200;

/** The characters that Kafka allows in a topic name. */
const kafkaPrefix = makeValidator<string>((value) => {
  if (!/^[a-zA-Z0-9._-]*$/.test(value)) throw new Error('letters, digits, ".", "_" and "-" only');
  if (value.length > MAX_PREFIX_LENGTH) throw new Error(`at most ${MAX_PREFIX_LENGTH} characters`);
  return value;
});

/** The client of Kafka reads what is before the first colon as the host. */
const brokers = makeValidator<string>((value) => {
  for (const broker of value.split(',').map((part) => part.trim())) {
    if (broker.startsWith('[')) throw new Error(`${broker}: the client of Kafka needs a host name or an IPv4 address`);
    if (!/^[^\s:/]+:\d+$/.test(broker)) throw new Error(`${broker || 'an empty one'} is not host:port`);
  }
  return value;
});

/** The connection to the Kafka brokers. */
export const KAFKA_CONFIG = {
  KAFKA_BROKERS: required(brokers({ default: undefined, desc: 'Kafka brokers as host:port, separated by commas' })),
  KAFKA_PREFIX: {
    ...kafkaPrefix({
      default: '',
      desc: 'Prefix of topic and consumer group names; lets deployments share a Kafka',
    }),
    defaultInWords: 'none',
  },
  KAFKA_TLS: flag({ default: false, desc: 'Connect to the brokers with TLS' }),
  KAFKA_TLS_CA_FILE: {
    ...fileText({ default: undefined, desc: 'PEM file with the certificate authority of the brokers' }),
    defaultInWords: 'the authorities that the system trusts',
  },
  KAFKA_TLS_CERT_FILE: fileText({
    default: undefined,
    desc: 'PEM file with the client certificate, for brokers that require one',
  }),
  KAFKA_TLS_KEY_FILE: fileText({ default: undefined, desc: 'PEM file with the key of the client certificate' }),
  KAFKA_SASL_MECHANISM: oneOf(SASL_MECHANISMS)({ default: 'none', desc: `One of ${SASL_MECHANISMS.join(', ')}` }),
  KAFKA_SASL_USERNAME: secret(text({ default: undefined, desc: 'SASL user name' })),
  KAFKA_SASL_PASSWORD: secret(text({ default: undefined, desc: 'SASL password' })),
};

/** A member of a consumer group. */
export const CONSUMER_CONFIG = {
  KAFKA_SESSION_TIMEOUT_MS: integer(
    1_000,
    300_000,
  )({
    default: 10_000,
    desc: 'Time without a heartbeat after which other members get the partitions of a consumer',
  }),
};

/** The topics that migrate creates. */
export const TOPIC_CONFIG = {
  KAFKA_PARTITIONS: integer(1, 1_000)({ default: 6, desc: 'Partitions per topic; cannot be changed later' }),
  KAFKA_REPLICATION_FACTOR: integer(1, 15)({ default: 1, desc: 'Replicas per partition' }),
  KAFKA_MIN_INSYNC_REPLICAS: integer(
    1,
    15,
  )({ default: 1, desc: 'Replicas that must store a record before it is acknowledged' }),
  KAFKA_RETENTION_HOURS: integer(
    1,
    876_000,
  )({
    default: 168,
    desc: 'How long the topics keep their records',
  }),
};

type KafkaEnv = Pick<ConfigOf<typeof KAFKA_CONFIG>, keyof typeof KAFKA_CONFIG> &
  Partial<ConfigOf<typeof CONSUMER_CONFIG>>;

/** @returns the connection options of `KafkaBus` */
export function toKafkaConfig(env: KafkaEnv, clientId: string) {
  const mechanism = env.KAFKA_SASL_MECHANISM;
  return {
    brokers: env.KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
    clientId,
    prefix: env.KAFKA_PREFIX,
    sessionTimeoutMs: env.KAFKA_SESSION_TIMEOUT_MS,
    ssl: env.KAFKA_TLS && { ca: env.KAFKA_TLS_CA_FILE, cert: env.KAFKA_TLS_CERT_FILE, key: env.KAFKA_TLS_KEY_FILE },
    ...(mechanism === 'none'
      ? {}
      : { sasl: { mechanism, username: env.KAFKA_SASL_USERNAME ?? '', password: env.KAFKA_SASL_PASSWORD ?? '' } }),
  };
}
