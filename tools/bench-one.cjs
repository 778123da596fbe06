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
  let width = 0;
  let first;
  await runBench(
    bench,
    (names) => (width = Math.max(...names.map((name) => name.length))),
    (result) => {
      const { name, perSecond, rounds, details } = result;
      const rate = Math.round(perSecond).toLocaleString('en').padStart(12);
      const line = `  ${name.padEnd(width)} ${rate} ${bench.unit}/s, ${rounds} rounds${details && `, ${details}`}`;
      console.log(first ? `${line}; ${first.name}: ${(first.perSecond / perSecond).toFixed(2)} times as fast` : line);
      first ??= result;
    },
  );
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  },
);
