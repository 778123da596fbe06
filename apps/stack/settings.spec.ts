import { join } from 'node:path';
import * as SHARED from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { PROVER_CONFIG } from '@fresnel/features/prover';
import { DRAIN_CONFIG, HEALTH_CONFIG, SERVICE_CONFIG, TRACING_CONFIG } from '@fresnel/platform';
import { readSources } from '@fresnel/testing/generic';

const SHARED_CONFIGS = Object.entries(SHARED).flatMap(([name, value]) => (name.endsWith('_CONFIG') ? [value] : []));
const CONFIGS = [GATEWAY_CONFIG, PROVER_CONFIG, DRAIN_CONFIG, HEALTH_CONFIG, SERVICE_CONFIG, TRACING_CONFIG];

/** `config.NAME`, or `const { NAME: value } = config`. */
const READ = /(?<!_CONFIG)\.([A-Z][A-Z_]+)\b|const \{([^}]*)\} = (?:config|env)\b/g;

describe('the settings', () => {
  const reads = readSources(join(__dirname, '..', '..')).flatMap((source) => [...source.matchAll(READ)]);
  const names = new Set(reads.flatMap(([text]) => text.match(/[A-Z][A-Z_]+/g) ?? []));

  it.each([...SHARED_CONFIGS, ...CONFIGS].flatMap((config) => Object.keys(config)))('%s is read', (name) => {
    expect(names).toContain(name);
  });
});
