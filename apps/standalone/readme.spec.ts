import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METHOD_CONTRACTS } from '@fresnel/contracts/rpc';
import { parseForwardedMethods } from '@fresnel/features/gateway';
import { describeDefault } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

const README = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

/** Rows of the table under a heading without the padding of its columns, headings of columns left out. */
function rowsUnder(heading: string): string[] {
  const section = README.split(`\n## ${heading}\n`)[1].split('\n## ')[0];
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => row.replace(/ {2,}/g, ' '));
}

describe('the README', () => {
  it('lists every environment variable as --help does', () => {
    expect(rowsUnder('Configuration')).toEqual(
      Object.entries(APP_CONFIG).map(
        ([name, variable]) => `| \`${name}\` | ${variable.desc} | ${describeDefault(variable)} |`,
      ),
    );
  });

  it('lists the methods that are forwarded by default', () => {
    const [, list] = /`default` stands for([^.]*)\./.exec(README) ?? [];
    const names = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(names).toEqual(parseForwardedMethods('default'));
  });

  it('lists every method as the OpenAPI document does', () => {
    expect(rowsUnder('Methods')).toEqual(METHOD_CONTRACTS.map(({ name, summary }) => `| \`${name}\` | ${summary} |`));
  });
});
