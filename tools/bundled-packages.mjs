// Prints the dependencies whose code is in the bundles of dist/, one per line. At run time, node_modules need not have them.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UNBUNDLED } from './build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const bundled = Object.keys(dependencies).filter((name) => !UNBUNDLED.some((pattern) => matches(name, pattern)));
console.log(bundled.join('\n'));

/**
 * @param {string} name
 * @param {string} pattern a name, or a scope with `*`
 */
function matches(name, pattern) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
