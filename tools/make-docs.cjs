// Writes what follows from the sources: the pages of settings and of methods, and the types of the client: `npm run docs:make`.

require('./register.cjs');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { GENERATED_FILES, ROOT } = require('../libs/testing/docs/index.ts');

for (const [path, write] of Object.entries(GENERATED_FILES)) writeFileSync(join(ROOT, path), write());
