import { parseArgs } from 'node:util';
import { LEVELS } from './levels';
import { regressionsOf } from './regressions';
import { kindOf, type Level, type Outcome, runSeed, shrink } from './run-level';

const HELP = `npm run simulate -- --level N [--seeds N] [--first S] [--only N,N…] [--trace N]

Runs the real code under a seeded scheduler, with faults of nodes, stores and processes, and checks every answer. Repeats the runs first
that have found a defect before.

  --level N    ${LEVELS.map(({ name }, at) => `${at + 1}: ${name}`).join('; ')}
  --seeds N    number of runs (100)
  --first S    seed of the first run (1)
  --only N,N   numbers of the faults that happen (all); a finding prints them
  --trace N    the last N steps of a finding to print (60)

Exits with 1 if a run fails, and prints the line that repeats the smallest failing run.`;

const PROGRESS_INTERVAL_MS = 10_000;

interface Finding {
  seed: number;
  outcome: Outcome;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      level: { type: 'string' },
      seeds: { type: 'string', default: '100' },
      first: { type: 'string', default: '1' },
      only: { type: 'string' },
      trace: { type: 'string', default: '60' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const level = LEVELS.at(Number(values.level) - 1);
  if (values.help || !values.level || !level) {
    process.stdout.write(`${HELP}\n`);
    return values.help ? 0 : 2;
  }
  const only = values.only === undefined ? null : new Set(values.only.split(',').filter(Boolean).map(Number));
  await level.open();
  try {
    const hasRegression = only === null && (await repeatRegressions(level));
    const findings = await runSeeds(level, Number(values.level), Number(values.first), Number(values.seeds), only);
    if (findings.length === 0) return hasRegression ? 1 : 0;
    const [{ seed, outcome }] = findings;
    await report(level, Number(values.level), seed, outcome, Number(values.trace), only !== null);
    return 1;
  } finally {
    await level.close();
  }
}

/** @returns whether one of the runs fails again */
async function repeatRegressions(level: Level): Promise<boolean> {
  let hasFailed = false;
  for (const { seed, only, found } of regressionsOf(level)) {
    const { problem } = await runSeed(level, { seed, only: new Set(only) });
    if (problem === null) continue;
    hasFailed = true;
    process.stdout.write(
      `seed ${seed} with the faults ${only.join(',')}: ${problem}\n  it was found before: ${found}\n`,
    );
  }
  return hasFailed;
}

async function runSeeds(
  level: Level,
  number: number,
  first: number,
  count: number,
  only: ReadonlySet<number> | null,
): Promise<Finding[]> {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  const rate = (done: number) => ((done * 1000) / (performance.now() - startedAt)).toFixed(2);
  const findings: Finding[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await runSeed(level, { seed, only });
    if (outcome.problem !== null) {
      findings.push({ seed, outcome });
      process.stdout.write(`seed ${seed}: ${outcome.problem}\n`);
    }
    if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) continue;
    reportedAt = performance.now();
    process.stdout.write(`${seed - first + 1} of ${count} seeds, ${rate(seed - first + 1)} seeds/s\n`);
  }
  process.stdout.write(
    `${count} seeds of level ${number} (${level.name}), ${rate(count)} seeds/s, ${findings.length} findings\n`,
  );
  const kinds = new Set(findings.map(({ outcome }) => kindOf(outcome.problem)));
  for (const kind of kinds) {
    const seeds = findings.filter(({ outcome }) => kindOf(outcome.problem) === kind).map(({ seed }) => seed);
    process.stdout.write(`  ${seeds.length} times: ${kind}, first with seed ${seeds[0]}\n`);
  }
  return findings;
}

async function report(
  level: Level,
  number: number,
  seed: number,
  found: Outcome,
  lines: number,
  isShrunk: boolean,
): Promise<void> {
  const outcome = isShrunk ? found : await shrink(level, seed, found);
  process.stdout.write(`\n${outcome.trace.slice(-lines).join('\n')}\n\nseed ${seed}: ${outcome.problem}\n`);
  process.stdout.write(
    `npm run simulate -- --level ${number} --seeds 1 --first ${seed} --only ${outcome.happened.join(',')}\n`,
  );
}

void main().then((status) => {
  process.exitCode = status;
});
