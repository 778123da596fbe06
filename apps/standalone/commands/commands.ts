import { backfillCommand } from './backfill.command';
import { type Command } from './command';
import { deadLettersCommand } from './dead-letters.command';
import { generateCommand } from './generate.command';
import { migrateCommand } from './migrate.command';
import { replayCommand } from './replay.command';
import { snapshotCommand } from './snapshot.command';
import { startCommand } from './start.command';
import { statusCommand } from './status.command';
import { treesCommand } from './trees.command';
import { verifyCommand } from './verify.command';

/** All commands, in the order of `--help`. */
export const COMMANDS: readonly Command[] = [
  startCommand,
  backfillCommand,
  snapshotCommand,
  statusCommand,
  deadLettersCommand,
  treesCommand,
  verifyCommand,
  migrateCommand,
  replayCommand,
  generateCommand,
];
