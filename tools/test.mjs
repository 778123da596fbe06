// Runs every test: `npm test`, or `npm test -- PATH --selectProjects unit` for a part. Servers are started by the suites.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { installMissing } from './install.mjs';

installMissing();
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exit(status ?? 1);
