// Writes the dashboards of k8s/components/dashboards from tools/dashboards: `npm run dashboards:make`. With a folder as argument,
// writes them there.

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { toGrafana } from './dashboards/dashboard.mjs';
import { INDEXING } from './dashboards/indexing.mjs';
import { OVERVIEW } from './dashboards/overview.mjs';
import { SERVING } from './dashboards/serving.mjs';

const OUT = join(dirname(dirname(fileURLToPath(import.meta.url))), 'k8s', 'components', 'dashboards');
const [, , folder = OUT] = argv;

for (const dashboard of [OVERVIEW, INDEXING, SERVING]) {
  writeFileSync(join(folder, `${dashboard.uid}.json`), `${JSON.stringify(toGrafana(dashboard), null, 1)}\n`);
}
