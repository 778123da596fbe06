import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@fresnel/platform';
import { CONSUMER_CONFIG, KAFKA_CONFIG, toKafkaConfig } from './kafka.config';

describe('the Kafka connection config', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-config-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (variables: Record<string, string> = {}) =>
    toKafkaConfig(readConfig(KAFKA_CONFIG, { KAFKA_BROKERS: 'one:9092, two:9092', ...variables }), 'tests');
  const write = (name: string) => {
    writeFileSync(join(folder, name), `PEM of ${name}`);
    return join(folder, name);
  };

  it('requires the brokers only', () => {
    expect(read()).toEqual({ brokers: ['one:9092', 'two:9092'], clientId: 'tests', prefix: '', ssl: false });
    expect(() => read({ KAFKA_BROKERS: '' })).toThrow('KAFKA_BROKERS: must be set');
  });

  it.each([
    ['one', 'one is not host:port'],
    ['one:9092,', 'an empty one is not host:port'],
    ['kafka://one:9092', 'kafka://one:9092 is not host:port'],
    ['one:9092, [::1]:9092', '[::1]:9092: the client of Kafka needs a host name or an IPv4 address'],
  ])('refuses the brokers %s', (brokers, problem) => {
    expect(() => read({ KAFKA_BROKERS: brokers })).toThrow(`KAFKA_BROKERS: ${problem}`);
  });

  it('accepts only characters of Kafka topic names in the prefix', () => {
    const { KAFKA_PREFIX: validate } = KAFKA_CONFIG;
    expect(read({ KAFKA_PREFIX: 'staging.' }).prefix).toBe('staging.');
    for (const valid of ['', 'a', 'staging_2-b.', 'x'.repeat(200)]) expect(validate._parse(valid)).toBe(valid);
    for (const wrong of ['a b', 'a/', 'ä', '{a}']) {
      expect(() => validate._parse(wrong)).toThrow('letters, digits, ".", "_" and "-" only');
    }
    expect(() => validate._parse('x'.repeat(201))).toThrow('at most 200 characters');
  });

  it('passes the session timeout of consumers', () => {
    const schema = { ...KAFKA_CONFIG, ...CONSUMER_CONFIG };
    const consumer = (variables: Record<string, string>) =>
      toKafkaConfig(readConfig(schema, { KAFKA_BROKERS: 'one:9092', ...variables }), 'tests');
    expect(consumer({}).sessionTimeoutMs).toBe(10_000);
    expect(consumer({ KAFKA_SESSION_TIMEOUT_MS: '6000' }).sessionTimeoutMs).toBe(6_000);
    expect(() => consumer({ KAFKA_SESSION_TIMEOUT_MS: '0' })).toThrow('KAFKA_SESSION_TIMEOUT_MS');
  });

  it('uses TLS with the certificates of the system or of files', () => {
    expect(read({ KAFKA_TLS: 'true' }).ssl).toEqual({});
    const files = {
      KAFKA_TLS_CA_FILE: write('ca'),
      KAFKA_TLS_CERT_FILE: write('cert'),
      KAFKA_TLS_KEY_FILE: write('key'),
    };
    expect(read({ KAFKA_TLS: 'true', ...files }).ssl).toEqual({
      ca: 'PEM of ca',
      cert: 'PEM of cert',
      key: 'PEM of key',
    });
  });

  it('names a file that cannot be read', () => {
    expect(() => read({ KAFKA_TLS: 'true', KAFKA_TLS_CA_FILE: join(folder, 'missing') })).toThrow(
      /KAFKA_TLS_CA_FILE: .*no such file/,
    );
  });

  it('passes SASL credentials with their mechanism', () => {
    const sasl = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'a', KAFKA_SASL_PASSWORD: 'b' } as const;
    expect(read(sasl)).toMatchObject({ sasl: { mechanism: 'scram-sha-512', username: 'a', password: 'b' } });
  });
});
