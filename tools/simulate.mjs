// Runs the simulation: `npm run simulate -- --level 1 --seeds 100`. `--help` lists the options.

import { spawnSync } from 'node:child_process';
import { installMissing } from './install.mjs';
import { requireSystemPackages } from './system-packages.mjs';

const args = process.argv.slice(2);
installMissing();
if (!args.includes('--help') && !args.includes('-h')) requireSystemPackages(['redis']);
const node = ['-r', './tools/register.cjs', 'libs/testing/simulation/simulate.ts', ...args];
process.exit(spawnSync(process.execPath, node, { stdio: 'inherit' }).status ?? 1);
