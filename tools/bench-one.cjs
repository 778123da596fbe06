// Runs one bench in a process of its own and prints a table: rates, and the first way against each other.

require('reflect-metadata');
const { resolve } = require('node:path');
const { runBench } = require('../libs/testing/bench.ts');

async function main() {
  const { bench } = require(resolve(process.argv[2]));
  console.log(`\n${bench.title}\n${bench.data}`);
  const results = await runBench(bench);
  const [first] = results;
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const result of results) {
    const { name, perSecond, rounds } = result;
    const rate = Math.round(perSecond).toLocaleString('en').padStart(12);
    const line = `  ${name.padEnd(width)} ${rate} ${bench.unit}/s, ${rounds} rounds`;
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
