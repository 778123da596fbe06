// Freezes what a minor promises, in a folder of releases: `npm run release:freeze` writes that of the newest one anew, and
// `npm run release:freeze -- 1.1` another. Refuses to change the folder of a version that is released.

require('./register.cjs');
const { execFileSync } = require('node:child_process');
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const semver = require('semver');
const { DEMO_LEDGER } = require('./make-demo.cjs');
const { version } = require('../package.json');
const { generateLedger } = require('../libs/ledger-generator/index.ts');
const { generateFixtureBlocks, readSlotFixtures } = require('../libs/testing/fixtures/index.ts');
const { freezeIndexes, listReleases, MANIFESTS, RELEASES, SURFACES } = require('../libs/testing/releases/index.ts');

async function main() {
  const release = process.argv[2] ?? listReleases().at(-1);
  if (!/^1\.\d+$/.test(release)) throw new Error(`${release} is no minor, such as 1.1`);
  if (semver.gte(version, `${release}.0`)) {
    throw new Error(
      `${release} is released and stays as it is. Freeze a later minor, such as 1.1, in a folder of its own`,
    );
  }
  const folder = join(RELEASES, release);
  for (const [file, { describe }] of Object.entries({ ...SURFACES, ...MANIFESTS })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${JSON.stringify(describe(), null, 1)}\n`);
  }
  const seeds = readSlotFixtures().map(({ seed }) => seed);
  await freezeIndexes(join(folder, 'index'), {
    demo: [...generateLedger(DEMO_LEDGER)],
    slots: generateFixtureBlocks(seeds),
  });
  execFileSync(process.execPath, [join(__dirname, 'proto.mjs'), 'freeze', folder], { stdio: 'inherit' });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
