// Writes the demo ledger and a file of keys for example requests: `npm run demo:make`.

require('./register.cjs');
const { createWriteStream, mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { createGzip } = require('node:zlib');
const { generateLedger, LedgerOracle } = require('../libs/ledger-generator/index.ts');

const FOLDER = join(__dirname, '..', 'fixtures', 'demo');
const DEMO_LEDGER = { seed: 20_261_121, slots: 420, firstSlot: 1_000, transactionsPerSlot: 3 };

async function main() {
  mkdirSync(FOLDER, { recursive: true });
  const oracle = new LedgerOracle();
  function* lines() {
    for (const block of generateLedger(DEMO_LEDGER)) {
      oracle.apply(block);
      yield `${block.json}\n`;
    }
  }
  const file = createWriteStream(join(FOLDER, 'ledger.ndjson.gz'));
  await pipeline(Readable.from(lines()), createGzip({ level: 9 }), file);
  writeFileSync(join(FOLDER, 'keys.json'), `${JSON.stringify(chooseKeys(oracle), null, 2)}\n`);
}

/** @param {InstanceType<typeof LedgerOracle>} oracle */
function chooseKeys(oracle) {
  /** @param {string[]} keys @param {(key: string) => number} score */
  const best = (keys, score) => keys.reduce((a, b) => (score(b) > score(a) ? b : a));
  const countAccounts = (/** @type {string} */ signature) => {
    const info = oracle.getTransactionWithCompressionInfo(signature)?.compressionInfo;
    return (info?.closedAccounts.length ?? 0) * (info?.openedAccounts.length ?? 0);
  };
  const compressed = oracle.signatures().filter(({ result }) => result === 'compression');
  return {
    mint: best(oracle.mints(), (mint) => oracle.getCompressedMintTokenHolders(mint).value.items.length),
    tokenOwner: best(
      oracle.tokenOwners(),
      (owner) => oracle.getCompressionSignaturesForTokenOwner(owner).value.items.length,
    ),
    owner: best(oracle.owners(), (owner) => oracle.getCompressionSignaturesForOwner(owner).value.items.length),
    account: oracle.liveAccounts()[0],
    signature: best(
      compressed.map(({ signature }) => signature),
      countAccounts,
    ),
    newAddress: '12nCKqGG85jHxbTeA8i2Z7D4vnNUUrQ4r5e8dv2o16X',
  };
}

module.exports = { DEMO_LEDGER };

if (require.main === module) {
  main().catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
