import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_FILES, ROOT } from './generated-files';

describe.each(Object.entries(GENERATED_FILES))('%s', (path, write) => {
  it('is what `npm run docs:make` writes', () => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(write());
  });
});
