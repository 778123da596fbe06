// Gives hostile inputs to all parsers, others in every run: `npm run fuzz -- --runs 100000`, or only to those whose path matches:
// `npm run fuzz -- libs/domain --runs 100000`. `npm test` gives them a few, the same in every run.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '10000' } },
  allowPositionals: true,
});
if (!/^[1-9]\d*$/.test(values.runs)) throw new Error(`--runs ${values.runs} is not a number of inputs`);
const paths = positionals.length > 0 ? positionals.map((path) => `${path}.*fuzz`) : ['fuzz'];
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const args = ['--selectProjects', 'unit', '--testPathPatterns', ...paths];
const env = { ...process.env, FRESNEL_FUZZ_RUNS: values.runs };
process.exit(spawnSync(process.execPath, [jest, ...args], { stdio: 'inherit', env }).status ?? 1);
