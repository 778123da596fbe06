import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type VerificationParts } from '@fresnel/features/operations';
import {
  type ConfigOf,
  ConfigError,
  createLogger,
  describeConfig,
  listenForShutdown,
  loadConfig,
  type Logger,
  parseUrl,
  reportFailure,
} from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { VERIFY_CONFIG } from '../operator.config';
import { type Command, UsageError } from './command';

const DEFAULT_SAMPLES = 200;
const MAX_SAMPLES = 100_000;
const MAX_SEED = 2 ** 31 - 1;
const PROGRESS_INTERVAL_MS = 5_000;
/** Pauses of 0.5 to 8 s between the attempts of a question: an index that is some seconds behind catches up. */
const PAUSES = { firstMs: 500, longestMs: 8_000 };
const EXIT_CODES = { equal: 0, differs: 1, 'not-checked-enough': 2 } as const;

export const verifyCommand: Command = {
  name: 'verify',
  synopsis: '[--against URL]',
  summary: 'compare an index with the chain, and with another index',
  help: `Compares an index that runs with the chain of SOLANA_RPC_URL, and with another index: a second Fresnel, or Photon. It only reads.

  --against URL    gateway of the other index; may contain an API key
  --url URL        gateway of this index; default: http://127.0.0.1: and GATEWAY_PORT
  --samples N      random transactions of the tables from whose accounts the questions follow (default ${DEFAULT_SAMPLES}); all, if there are
                   no more
  --seed N         repeats a sample; default: random, and reported
  --json           write JSON

With the chain: root, next index and queues of every tree; hashes of sampled accounts; proofs, which are verified by hashing.
With the other index: sampled transactions, accounts, balances, lists and signatures (up to ten pages), as of a slot that both have.
Ctrl-C ends it, and reports what was seen.

Exit code: ${EXIT_CODES.equal} if nothing differs; ${EXIT_CODES.differs} if something differs; ${EXIT_CODES['not-checked-enough']} if more than 5 % of the trees or of another kind of question could not be
checked, and if the command fails.

Environment variables:
${describeConfig(VERIFY_CONFIG, [
  'DATABASE_URL',
  'FRESNEL_DATA_DIR',
  'GATEWAY_PORT',
  'SOLANA_RPC_URL',
  'SOLANA_COMMITMENT',
  'ACCOUNT_COMPRESSION_PROGRAM_ID',
  'TREE_OWNER',
  'LOG_LEVEL',
])}`,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        against: { type: 'string' },
        url: { type: 'string' },
        samples: { type: 'string', default: String(DEFAULT_SAMPLES) },
        seed: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const config = loadConfig(VERIFY_CONFIG);
    const urls = {
      index: toUrl('--url', values.url ?? `http://127.0.0.1:${config.GATEWAY_PORT}`),
      against: values.against === undefined ? null : toUrl('--against', values.against),
    };
    if (urls.against === null && config.SOLANA_RPC_URL === undefined) {
      throw new ConfigError('verify requires SOLANA_RPC_URL or --against URL: there is nothing to compare with');
    }
    const options = {
      samples: toCount('--samples', values.samples, 1, MAX_SAMPLES),
      seed: values.seed === undefined ? randomInt(MAX_SEED) : toCount('--seed', values.seed, 0, MAX_SEED),
    };
    try {
      return await verify(config, urls, options, values.json);
    } catch (error) {
      // Exit code 1 says that something differs.
      reportFailure('fresnel', error);
      return EXIT_CODES['not-checked-enough'];
    }
  },
};

async function verify(
  config: ConfigOf<typeof VERIFY_CONFIG>,
  urls: { index: string; against: string | null },
  options: { samples: number; seed: number },
  isJson: boolean,
): Promise<number> {
  const logger = createLogger(config.LOG_LEVEL);
  const shutdown = listenForShutdown(logger);
  const { describeVerification, toVerificationJson, verifyIndex } = await import('@fresnel/features/operations');
  const { openOperatorDatabase } = await import('../operator-database.js');
  const { withVerificationParts } = await import('../verify-sources.js');
  const database = await openOperatorDatabase(config, logger);
  try {
    const verification = await withVerificationParts(database, config, urls, logger, async (parts) => {
      await requireAnswers(parts, urls, shutdown);
      const onProgress = progressLogger(logger);
      return verifyIndex({ ...parts, onProgress }, { ...options, pauses: PAUSES }, shutdown);
    });
    process.stdout.write(isJson ? `${toVerificationJson(verification)}\n` : describeVerification(verification));
    return EXIT_CODES[verification.result];
  } finally {
    await database.close();
  }
}

/** @throws ConfigError if a gateway does not answer at all */
async function requireAnswers(
  { index, against }: Pick<VerificationParts, 'index' | 'against'>,
  urls: { index: string; against: string | null },
  signal: AbortSignal,
): Promise<void> {
  const sides = [['--url', index, urls.index] as const, ['--against', against, urls.against] as const];
  for (const [option, ask, url] of sides) {
    const answer = await ask?.('getIndexerSlot', [], signal);
    if (answer && 'failure' in answer) {
      const { host } = new URL(url ?? '');
      throw new ConfigError(`the gateway at ${host} has no indexed slot (${answer.failure}): is ${option} right?`);
    }
  }
}

function progressLogger(logger: Logger): VerificationParts['onProgress'] {
  let loggedAt = now();
  return ({ samples, total }) => {
    if (now() - loggedAt < PROGRESS_INTERVAL_MS) return;
    loggedAt = now();
    logger.info({ transactions: samples, ...total }, 'verifying');
  };
}

function toUrl(option: string, text: string): string {
  const url = parseUrl(text);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(`${option} requires a URL with http or https`);
  return text;
}

function toCount(option: string, text: string, least: number, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(number >= least && number <= most))
    throw new UsageError(`${option} requires a number from ${least} to ${most}`);
  return number;
}
