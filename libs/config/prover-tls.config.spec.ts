import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@fresnel/platform';
import { PROVER_TLS_CONFIG, toProverTls } from './prover-tls.config';

describe('the certificates between gateways and provers', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-config-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const read = (variables: Record<string, string>) => toProverTls(readConfig(PROVER_TLS_CONFIG, variables));
  const write = (name: string) => {
    writeFileSync(join(folder, name), `PEM of ${name}`);
    return join(folder, name);
  };

  it('are not used by default', () => {
    expect(read({})).toBeNull();
  });

  it('are read from three files', () => {
    const files = {
      PROVER_TLS_CA_FILE: write('ca'),
      PROVER_TLS_CERT_FILE: write('cert'),
      PROVER_TLS_KEY_FILE: write('key'),
    };
    expect(read(files)).toEqual({ ca: 'PEM of ca', cert: 'PEM of cert', key: 'PEM of key' });
  });

  it.each(['CA', 'CERT', 'KEY'])(
    'are refused with only the %s file: the connections would not be encrypted',
    (name) => {
      const others = ['CA', 'CERT', 'KEY'].filter((other) => other !== name);
      for (const other of others) {
        expect(() => read({ [`PROVER_TLS_${name}_FILE`]: write('one') })).toThrow(
          `PROVER_TLS_${other}_FILE: must be set`,
        );
      }
    },
  );
});
