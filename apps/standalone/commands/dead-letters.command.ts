import { parseArgs } from 'node:util';
import { type DeadLetterFilter, type DeadLetterStore } from '@fresnel/adapters/store-write';
import { FresnelError, type Slot, toSlot } from '@fresnel/domain/primitives';
import { createLogger, describeConfig, loadConfig } from '@fresnel/platform';
import { OPERATOR_CONFIG } from '../operator.config';
import { type Command, UsageError } from './command';

const DEFAULT_LIMIT = '100';

export const deadLettersCommand: Command = {
  name: 'dead-letters',
  synopsis: 'list|inspect|retry',
  summary: 'list, inspect or retry transactions that could not be read',
  help: `  list [--slot SLOT] [--limit N] [--json]    list dead letters with their reasons, oldest first [--limit ${DEFAULT_LIMIT}]
  inspect SLOT INDEX                         write one dead letter as JSON, with its transaction
  retry --slot SLOT [--index INDEX]          have ingest retry the dead letters of a slot now
  retry --all                                have ingest retry all dead letters now

Ingest retries dead letters by itself, with pauses of up to an hour. "retry" ends the pauses: a running ingest retries the dead
letters within seconds. INDEX is the position of the transaction in its block.

Environment variables:
${describeConfig(OPERATOR_CONFIG, ['DATABASE_URL', 'FRESNEL_DATA_DIR', 'LOG_LEVEL'])}`,
  async run([action, ...args]) {
    const act = actionOf(action, args);
    const config = loadConfig(OPERATOR_CONFIG);
    const { openOperatorDatabase } = await import('../operator-database.js');
    const { DeadLetterStore } = await import('@fresnel/adapters/store-write');
    const database = await openOperatorDatabase(config, createLogger(config.LOG_LEVEL));
    try {
      process.stdout.write(await act(new DeadLetterStore(database.dataSource)));
    } finally {
      await database.close();
    }
    return 0;
  },
};

/** @returns the text to print */
type Action = (letters: DeadLetterStore) => Promise<string>;

/** There is no such dead letter. */
class NoDeadLetterError extends FresnelError {
  readonly code = 'no-dead-letter';
  readonly isRetryable = false;
}

function actionOf(name: string | undefined, args: string[]): Action {
  switch (name) {
    case 'list':
      return parseList(args);
    case 'inspect':
      return parseInspect(args);
    case 'retry':
      return parseRetry(args);
    case undefined:
    default:
      throw new UsageError('dead-letters requires one of list, inspect and retry');
  }
}

function parseList(args: string[]): Action {
  const { values } = parseArgs({
    args,
    options: {
      slot: { type: 'string' },
      limit: { type: 'string', default: DEFAULT_LIMIT },
      json: { type: 'boolean', default: false },
    },
  });
  const filter = { slot: toSlotOption(values.slot) };
  const limit = toCount(values.limit, '--limit');
  return async (letters) => {
    const { describeDeadLetters, toDeadLetterJson } = await import('@fresnel/features/operations');
    const found = await letters.list(filter, limit);
    return values.json ? `${JSON.stringify(found.map(toDeadLetterJson), null, 2)}\n` : describeDeadLetters(found);
  };
}

function parseInspect(args: string[]): Action {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  if (positionals.length !== 2) throw new UsageError('dead-letters inspect requires SLOT and INDEX');
  const slot = toSlot(toCount(positionals[0], 'SLOT'));
  const index = toCount(positionals[1], 'INDEX');
  return async (letters) => {
    const { toDeadLetterJson } = await import('@fresnel/features/operations');
    const letter = (await letters.list({ slot, index }, 1)).at(0);
    const transaction = await letters.findTransaction(slot, index);
    if (!letter || transaction === null) throw new NoDeadLetterError(`slot ${slot} has no dead letter ${index}`);
    const text = JSON.stringify(toDeadLetterJson(letter), null, 2);
    // The transaction is text: its numbers may have more digits than a JavaScript number.
    return `${text.slice(0, -2)},\n  "transaction": ${transaction}\n}\n`;
  };
}

function parseRetry(args: string[]): Action {
  const { values } = parseArgs({
    args,
    options: { slot: { type: 'string' }, index: { type: 'string' }, all: { type: 'boolean', default: false } },
  });
  const { slot, index, all } = values;
  if (all === (slot !== undefined)) throw new UsageError('dead-letters retry requires either --slot or --all');
  if (index !== undefined && slot === undefined) throw new UsageError('--index requires --slot');
  const filter: DeadLetterFilter = {
    slot: toSlotOption(slot),
    index: index === undefined ? undefined : toCount(index, '--index'),
  };
  return async (letters) => {
    const count = await letters.markDue(filter);
    return `${count} dead letters are due: ingest retries them once their blocks are final\n`;
  };
}

function toSlotOption(text: string | undefined): Slot | undefined {
  return text === undefined ? undefined : toSlot(toCount(text, '--slot'));
}

function toCount(text: string, option: string): number {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) throw new UsageError(`${option} ${text} is not a whole number`);
  return number;
}
