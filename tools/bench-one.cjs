// Runs one bench in a process of its own and prints a table: rates, and each way against the first.

require('reflect-metadata');
const { resolve } = require('node:path');
const { runBench } = require('../libs/testing/bench.ts');

async function main() {
  const { bench } = require(resolve(process.argv[2]));
  console.log(`\n${bench.title}\n${bench.data}`);
  const results = await runBench(bench);
  const [{ perSecond: own }] = results;
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const { name, perSecond, rounds } of results) {
    const rate = Math.round(perSecond).toLocaleString('en').padStart(12);
    console.log(
      `  ${name.padEnd(width)} ${rate} ${bench.unit}/s  ${(own / perSecond).toFixed(2)}x  (${rounds} rounds)`,
    );
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
