// Prints the dependencies whose code is in the bundles of dist/, one per line.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundled } from './build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
console.log(Object.keys(dependencies).filter(isBundled).join('\n'));
