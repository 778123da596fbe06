import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSources } from '@fresnel/testing/generic';
import { COMPRESSION_INSTRUCTIONS, DISCRIMINATOR_BYTES, SYSTEM_INSTRUCTIONS } from './discriminators';

/** Anchor hashes the name that the instruction has in the source of its program. */
function discriminatorOf(key: string): Buffer {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return createHash('sha256').update(`global:${name}`).digest().subarray(0, DISCRIMINATOR_BYTES);
}

it.each(Object.entries({ ...COMPRESSION_INSTRUCTIONS, ...SYSTEM_INSTRUCTIONS }))(
  'libs/domain/events/discriminators.ts has the hash of the name %s',
  (key, discriminator) => {
    expect(discriminator).toEqual(discriminatorOf(key));
  },
);

const ROOT = join(__dirname, '..', '..', '..');
const GENERATOR = 'libs/ledger-generator/encode/discriminators.ts';

describe.each(Object.keys(COMPRESSION_INSTRUCTIONS))('%s', (name) => {
  it('is read by a file of libs/domain/events, such as find-tree-event.ts', () => {
    const parser = readSources(ROOT).filter(({ path }) => path.startsWith('libs/domain/events/'));
    expect(parser.some(({ text }) => text.includes(`COMPRESSION_INSTRUCTIONS.${name}`))).toBe(true);
  });

  it(`is in generated ledgers, by ${GENERATOR}`, () => {
    expect(readFileSync(join(ROOT, GENERATOR), 'utf8')).toContain(`  ${name}: `);
  });
});
