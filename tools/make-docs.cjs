// Writes the pages of docs that follow from the sources, of settings and of methods: `npm run docs:make`.

require('./register.cjs');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { GENERATED_PAGES, ROOT } = require('../libs/testing/docs/index.ts');

for (const [name, write] of Object.entries(GENERATED_PAGES)) writeFileSync(join(ROOT, 'docs', name), write());
