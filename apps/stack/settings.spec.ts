import { join } from 'node:path';
import { readSources } from '@fresnel/testing/generic';

/** A variable in a `*_CONFIG`, up to the next one. */
const DECLARATION = /^ {2}([A-Z][A-Z_]+): ([^]*?)(?=^ {2}\S|^\})/gm;
/** `config.NAME`, or `{ NAME: value }` of a config or options. */
const READ =
  /(?<!_CONFIG)\.([A-Z][A-Z_]+)\b|\{([^{}]*)\}(?:: \w*(?:Config|Options)| = (?:this\.)?(?:config|env|options|settings))\b/g;

describe('the settings', () => {
  const sources = readSources(join(__dirname, '..', '..'));
  const declared = sources
    .filter(({ path }) => path.endsWith('.config.ts'))
    .flatMap(({ path, text }) => [...text.matchAll(DECLARATION)].map(([, name, value]) => ({ path, name, value })));
  const reads = sources.flatMap(({ text }) => [...text.matchAll(READ)]);
  const read = new Set(reads.flatMap(([text]) => text.match(/[A-Z][A-Z_]+/g) ?? []));

  it.each(declared)('of $path: $name is read', ({ name }) => {
    expect(read).toContain(name);
  });

  it('are declared once: what differs in other apps refers to it', () => {
    const own = declared.filter(({ name, value }) => !value.includes(`_CONFIG.${name}`));
    const repeated = own.filter(({ name, path }) => own.some((one) => one.name === name && one.path !== path));
    expect(repeated).toEqual([]);
  });
});
