// Writes the slot fixtures, one folder for each kind of slot, and their README: `npm run fixtures:make`.

require('./register.cjs');
const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const prettier = require('prettier');
const {
  findSlotSeeds,
  generateFixtureBlocks,
  SLOT_FIXTURES,
  SLOT_KINDS,
  writeSlotFixtures,
} = require('../libs/testing/fixtures/index.ts');

const README = `# Slot fixtures

One generated slot for each kind of event. \`npm run fixtures:make\` writes them; never edit them.

- \`block.json\`: the \`getBlock\` response of a node, base64 encoding.
- \`expected.json\`: the results that follow from the block. \`events\`, \`facts\` and \`treeUpdates\` (of address trees) are those of
  \`libs/domain\`; \`answers\` are RPC results of the oracle in \`libs/ledger-generator\`, as of this slot. Transactions in answers
  contain \`compressionInfo\` only. \`seed\` is the seed of the slot's random choices.

The slots form a chain without gaps: each builds on the accounts and queues of the slots before it. Numbers may exceed 2^53.
Bytes of 32 and 64 bytes are base58, others hex. Tests load the files with \`readSlotFixtures\` of \`libs/testing/fixtures\`.

| Slot | Name | Content |
| --- | --- | --- |
`;

async function main() {
  /** Prettier keeps every digit of numbers. @param {string} text @param {string} parser */
  const format = (text, parser) => prettier.format(text, { parser, printWidth: 120 });
  const seeds = findSlotSeeds();
  const fixtures = await writeSlotFixtures(generateFixtureBlocks(seeds), seeds);
  rmSync(SLOT_FIXTURES, { recursive: true, force: true });
  for (const { slot, block, expected } of fixtures) {
    const folder = join(SLOT_FIXTURES, String(slot));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'block.json'), await format(block, 'json'));
    writeFileSync(join(folder, 'expected.json'), await format(expected, 'json'));
  }
  const rows = SLOT_KINDS.map(({ name, summary }, at) => `| ${fixtures[at].slot} | ${name} | ${summary} |`);
  writeFileSync(join(SLOT_FIXTURES, 'README.md'), await format(README + rows.join('\n'), 'markdown'));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
