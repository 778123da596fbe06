import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_PAGES, ROOT } from './generated-pages';

describe.each(Object.entries(GENERATED_PAGES))('docs/%s', (name, write) => {
  it('is what `npm run docs:make` writes', () => {
    expect(readFileSync(join(ROOT, 'docs', name), 'utf8')).toBe(write());
  });
});
