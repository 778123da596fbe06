// Runs the benches of one file and prints for each a table of rates and of the ratio of the first way to each other way.

require('reflect-metadata');
const { resolve } = require('node:path');
const { runBench } = require('../libs/testing/generic/bench.ts');

async function main() {
  const { bench, benches = [bench] } = require(resolve(process.argv[2]));
  for (const each of benches) await printBench(each);
}

/** @param {import('../libs/testing/generic/bench').Bench} bench */
async function printBench(bench) {
  console.log(`\n${bench.title}\n${bench.data}`);
  const results = await runBench(bench);
  const [first] = results;
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const result of results) {
    const { name, perSecond, rounds, details } = result;
    const rate = Math.round(perSecond).toLocaleString('en').padStart(12);
    const line = `  ${name.padEnd(width)} ${rate} ${bench.unit}/s, ${rounds} rounds${details && `, ${details}`}`;
    const ratio = (first.perSecond / perSecond).toFixed(2);
    console.log(result === first ? line : `${line}; ${first.name}: ${ratio} times as fast`);
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
