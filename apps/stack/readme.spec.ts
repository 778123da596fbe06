import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVER_CONFIG } from '@fresnel/features/prover';
import {
  type ConfigSchema,
  describeDefault,
  DRAIN_CONFIG,
  HEALTH_CONFIG,
  secretNames,
  TRACING_CONFIG,
} from '@fresnel/platform';
import {
  CHAIN_CONFIG,
  CONSUMER_CONFIG,
  DATABASE_CONFIG,
  DEMO_CONFIG,
  INGEST_CONFIG,
  KAFKA_CONFIG,
  PROVER_ADDRESS_CONFIG,
  PROVER_TLS_CONFIG,
  READ_DATABASE_CONFIG,
  REDIS_CONFIG,
  REDIS_READ_CONFIG,
  TOPIC_CONFIG,
  VALIDITY_PROVER_CONFIG,
} from '@fresnel/config';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

describe('the README', () => {
  it('lists every environment variable of the services as --help does', () => {
    const config = {
      ...KAFKA_CONFIG,
      ...CONSUMER_CONFIG,
      ...TOPIC_CONFIG,
      ...REDIS_CONFIG,
      ...REDIS_READ_CONFIG,
      ...READ_DATABASE_CONFIG,
      ...PROVER_ADDRESS_CONFIG,
      ...PROVER_TLS_CONFIG,
      ...PROVER_CONFIG,
      ...DEMO_CONFIG,
      ...INGEST_CONFIG,
      HEALTH_PORT: HEALTH_CONFIG.HEALTH_PORT,
      ...DRAIN_CONFIG,
    };
    const section = README.split('\n## Run the whole stack\n')[1].split('\n## ')[0];
    const rows = section.split('\n').filter((line) => /^\| `[A-Z_]+`/.test(line));
    expect(rows.map((row) => row.replace(/ {2,}/g, ' '))).toEqual(
      Object.entries(config).map(
        ([name, variable]) => `| \`${name}\` | ${variable.desc} | ${describeDefault(variable)} |`,
      ),
    );
  });

  it('lists every variable that can be in a file', () => {
    const config: ConfigSchema = {
      ...DATABASE_CONFIG,
      ...READ_DATABASE_CONFIG,
      ...REDIS_CONFIG,
      ...REDIS_READ_CONFIG,
      ...CHAIN_CONFIG,
      ...KAFKA_CONFIG,
      ...VALIDITY_PROVER_CONFIG,
      ...TRACING_CONFIG,
    };
    const [, sentence] = /Secrets can be in\s+files instead:[^,]*of ([^.]*)\./.exec(README) ?? [];
    expect(sentence.match(/[A-Z_]+/g)).toEqual(secretNames(config));
  });
});
