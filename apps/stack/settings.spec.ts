import { join } from 'node:path';
import { readSources } from '@fresnel/testing/generic';

/** A variable in a `*_CONFIG`. */
const DECLARATION = /^ {2}([A-Z][A-Z_]+): /gm;
/** `config.NAME`, or `{ NAME: value }` of a config or options. */
const READ =
  /(?<!_CONFIG)\.([A-Z][A-Z_]+)\b|\{([^{}]*)\}(?:: \w*(?:Config|Options)| = (?:this\.)?(?:config|env|options|settings))\b/g;

describe('the settings', () => {
  const sources = readSources(join(__dirname, '..', '..'));
  const declared = sources
    .filter(({ path }) => path.endsWith('.config.ts'))
    .flatMap(({ path, text }) => [...text.matchAll(DECLARATION)].map(([, name]) => ({ path, name })));
  const reads = sources.flatMap(({ text }) => [...text.matchAll(READ)]);
  const read = new Set(reads.flatMap(([text]) => text.match(/[A-Z][A-Z_]+/g) ?? []));

  it.each(declared)('of $path: $name is read', ({ name }) => {
    expect(read).toContain(name);
  });
});
