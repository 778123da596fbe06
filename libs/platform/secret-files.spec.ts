import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, describeConfig, readConfig, required, text } from './config';
import { secret } from './secret-files';

const SCHEMA = {
  DATABASE_URL: secret(required(address('postgres:')({ default: undefined, desc: 'Database' }))),
  API_TOKEN: secret(text({ default: undefined, desc: 'Token' })),
  NAME: text({ default: 'none', desc: 'Name' }),
};
const URL = 'postgres://user:password@host/database';

describe('a secret in a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-secrets-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const write = (content: string) => {
    const path = join(folder, 'secret');
    writeFileSync(path, content);
    return path;
  };

  it.each([URL, `${URL}\n`, `${URL}\r\n`])('is read without the line break at its end: %j', (content) => {
    expect(readConfig(SCHEMA, { DATABASE_URL_FILE: write(content) })).toMatchObject({ DATABASE_URL: URL });
  });

  it('is optional', () => {
    expect(readConfig(SCHEMA, { DATABASE_URL: URL, DATABASE_URL_FILE: '' })).toEqual({
      DATABASE_URL: URL,
      NAME: 'none',
    });
  });

  it('is read only for secrets', () => {
    expect(readConfig(SCHEMA, { DATABASE_URL: URL, NAME_FILE: '/missing' }).NAME).toBe('none');
  });

  it('is checked like a variable, and its value is not in the error', () => {
    expect(() => readConfig(SCHEMA, { DATABASE_URL_FILE: write('mysql://user:password@host') })).toThrow(
      /^invalid configuration:\n {2}DATABASE_URL: must be a URL that starts with postgres:\/\/$/,
    );
  });

  it('must not be a variable, too', () => {
    expect(() => readConfig(SCHEMA, { DATABASE_URL: URL, DATABASE_URL_FILE: write(URL) })).toThrow(
      /^invalid configuration:\n {2}DATABASE_URL_FILE: DATABASE_URL is set, too; set one of them$/,
    );
  });

  it('that cannot be used is reported once, with all other problems', () => {
    const variables = { DATABASE_URL_FILE: join(folder, 'missing'), API_TOKEN_FILE: write('\n') };
    expect(() => readConfig(SCHEMA, variables)).toThrow(
      /^invalid configuration:\n {2}DATABASE_URL_FILE: .*no such file.*\n {2}API_TOKEN_FILE: the file .* is empty$/,
    );
  });

  it('is named by a variable that --help lists', () => {
    expect(describeConfig(SCHEMA).split('\n').at(-1)).toBe(
      'Secrets can be read from the files that these variables name: DATABASE_URL_FILE, API_TOKEN_FILE',
    );
  });
});
