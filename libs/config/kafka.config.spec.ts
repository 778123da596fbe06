import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KAFKA_CONFIG, toKafkaConfig } from './kafka.config';

const BARE: Parameters<typeof toKafkaConfig>[0] = {
  KAFKA_BROKERS: 'one:9092, two:9092',
  KAFKA_PREFIX: '',
  KAFKA_TLS: false,
  KAFKA_TLS_CA_FILE: undefined,
  KAFKA_TLS_CERT_FILE: undefined,
  KAFKA_TLS_KEY_FILE: undefined,
  KAFKA_SASL_MECHANISM: 'none',
  KAFKA_SASL_USERNAME: undefined,
  KAFKA_SASL_PASSWORD: undefined,
};

describe('the Kafka connection config', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-config-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (more: Partial<typeof BARE> = {}) => toKafkaConfig({ ...BARE, ...more }, 'tests');
  const write = (name: string) => {
    writeFileSync(join(folder, name), `PEM of ${name}`);
    return join(folder, name);
  };

  it('need no more than brokers', () => {
    expect(read()).toEqual({ brokers: ['one:9092', 'two:9092'], clientId: 'tests', prefix: '', ssl: false });
    expect(() => read({ KAFKA_BROKERS: undefined })).toThrow('KAFKA_BROKERS: must be set');
  });

  it('accept as a prefix what Kafka accepts in the name of a topic', () => {
    const { KAFKA_PREFIX: validate } = KAFKA_CONFIG;
    expect(read({ KAFKA_PREFIX: 'staging.' }).prefix).toBe('staging.');
    for (const valid of ['', 'a', 'staging_2-b.', 'x'.repeat(200)]) expect(validate._parse(valid)).toBe(valid);
    for (const wrong of ['a b', 'a/', 'ä', '{a}']) {
      expect(() => validate._parse(wrong)).toThrow('letters, digits, ".", "_" and "-" only');
    }
    expect(() => validate._parse('x'.repeat(201))).toThrow('at most 200 characters');
  });

  it('take TLS as the system trusts, or with files of their own', () => {
    expect(read({ KAFKA_TLS: true }).ssl).toEqual({});
    const files = {
      KAFKA_TLS_CA_FILE: write('ca'),
      KAFKA_TLS_CERT_FILE: write('cert'),
      KAFKA_TLS_KEY_FILE: write('key'),
    };
    expect(read({ KAFKA_TLS: true, ...files }).ssl).toEqual({
      ca: 'PEM of ca',
      cert: 'PEM of cert',
      key: 'PEM of key',
    });
  });

  it('name the file that cannot be read', () => {
    expect(() => read({ KAFKA_TLS: true, KAFKA_TLS_CA_FILE: join(folder, 'missing') })).toThrow(
      /KAFKA_TLS_CA_FILE: .*no such file/,
    );
  });

  it('take credentials with a mechanism', () => {
    const sasl = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'a', KAFKA_SASL_PASSWORD: 'b' } as const;
    expect(read(sasl)).toMatchObject({ sasl: { mechanism: 'scram-sha-512', username: 'a', password: 'b' } });
  });
});
