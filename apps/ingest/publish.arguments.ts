import { parseArgs } from 'node:util';
import { messageOf, type Slot, toSlot } from '@fresnel/domain/primitives';
import { type SlotRange } from '@fresnel/features/ingest';
import { ConfigError } from '@fresnel/platform';

/** The part of --help about arguments. */
export const PUBLISH_USAGE = `  publish --from SLOT --to SLOT

Publishes the events of the slots from SLOT to SLOT, both included, to slot-events. Slots that were published before may be
published again: duplicates change nothing. Several ranges can be published at once, while ingest follows the chain. A range
cannot start before the first slot of the index, which ingest publishes. Address trees are not changed: only ingest publishes
to tree-updates, in the order of the chain.

SIGTERM or Ctrl-C ends the command after the batch in progress, and logs the slots that remain.`;

/** Reads the arguments after "publish". @throws ConfigError */
export function parsePublishArguments(args: readonly string[]): SlotRange {
  const { from, to } = readOptions(args);
  const range = { from: parseSlot('--from', from), to: parseSlot('--to', to) };
  if (range.from > range.to) throw new ConfigError(`--from ${range.from} is after --to ${range.to}`);
  return range;
}

function readOptions(args: readonly string[]): { from?: string; to?: string } {
  try {
    return parseArgs({ args: [...args], options: { from: { type: 'string' }, to: { type: 'string' } } }).values;
  } catch (error) {
    throw new ConfigError(messageOf(error), { cause: error });
  }
}

function parseSlot(option: string, text: string | undefined): Slot {
  if (text === undefined) throw new ConfigError(`${option} SLOT is missing`);
  const slot = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(slot)) throw new ConfigError(`${option} ${text} is not a slot`);
  return toSlot(slot);
}
