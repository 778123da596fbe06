import { gunzip, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { findMissingPart, findSignature, isFailedTransaction } from '@fresnel/domain/events';
import {
  asInteger,
  asU32,
  messageOf,
  parseSignature,
  type Signature,
  type Slot,
  toSlot,
} from '@fresnel/domain/primitives';
import { type GtfaTransaction } from '../gtfa-items';
import { type SlotRange } from '../history-source';
import { type SnapshotChunk, SnapshotError } from './snapshot-manifest';

/** A transaction of an index. */
export interface LoggedTransaction {
  slot: Slot;
  /** Among the transactions of its slot. */
  index: number;
  /** As the index stores it: the `getTransaction` result, which begins with slot and block time. */
  json: string;
  /** Why its place is not known; null if it is. See `writePlaceProblem`. */
  problem: string | null;
}

/*
 * A chunk is gzip of lines of JSON, one for each transaction, in chain order. A line has the members of an item of
 * `getTransactionsForAddress`, whose text is that of the node, character for character:
 *
 *     {"slot":107,"transactionIndex":3,"blockTime":1700000000,"transaction":["…","base64"],"meta":{…},"version":0}
 *
 * A transaction whose place in history is not known has the member "problem" after its time.
 */
const STORED = /^\{"slot":\d+,"blockTime":(-?\d+),?/;
const LINE = /^\{"slot":(\d+),"transactionIndex":(\d+),"blockTime":(-?\d+)(?:,"problem":("(?:[^"\\]|\\.)*"))?,?/;
/** A transaction without bytes, see `writeExecutedTransaction`. */
const EXECUTED = /^\{"executed":\{"signature":"([1-9A-HJ-NP-Za-km-z]+)"/;
const NO_INSTRUCTIONS = '"instructions":null}}';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** @throws SnapshotError if the text does not begin as the index writes it */
export function encodeLine({ slot, index, json, problem }: LoggedTransaction): string {
  const stored = STORED.exec(json);
  if (!stored) throw new SnapshotError(`slot ${slot} has a transaction that begins with ${json.slice(0, 40)}`);
  const place = `"slot":${slot},"transactionIndex":${index},"blockTime":${stored[1]}`;
  const marked = problem === null ? place : `${place},"problem":${JSON.stringify(problem)}`;
  // Line breaks in JSON are white space: those in strings are escaped.
  const members = json.slice(stored[0].length).replace(/[\r\n]+/g, ' ');
  return members === '}' ? `{${marked}}\n` : `{${marked},${members}\n`;
}

/** @param lines of `encodeLine` */
export function encodeChunk(lines: readonly string[]): Promise<Buffer> {
  return compress(lines.join(''));
}

/**
 * Reads the transactions of a chunk.
 *
 * @param file whose SHA-256 is that of the manifest
 * @throws SnapshotError
 */
export async function decodeChunk(file: Buffer, chunk: SnapshotChunk): Promise<GtfaTransaction[]> {
  try {
    const text = (await decompress(file, { maxOutputLength: Math.max(chunk.textBytes, 1) })).toString();
    const lines = text.split('\n');
    if (lines.pop() !== '') throw new SnapshotError('its last line has no end');
    const transactions = lines.map(readLine);
    checkOrder(transactions, chunk);
    return transactions;
  } catch (error) {
    const reason = messageOf(error);
    throw new SnapshotError(`${chunk.name} is no chunk of a snapshot: ${reason}`, { cause: error });
  }
}

function checkOrder(transactions: readonly GtfaTransaction[], { from, to, transactions: count }: SnapshotChunk) {
  if (transactions.length !== count) {
    throw new SnapshotError(`it has ${transactions.length} transactions instead of ${count}`);
  }
  let last: SlotRange & { index: number } = { from, to, index: -1 };
  for (const { slot, index } of transactions) {
    const isAfter = slot > last.from || (slot === last.from && index > last.index);
    if (!isAfter || slot > to) throw new SnapshotError(`slot ${slot} is out of order`);
    last = { from: slot, to, index };
  }
}

function readLine(line: string): GtfaTransaction {
  const found = LINE.exec(line);
  if (!found) throw new SnapshotError(`it has a line that begins with ${line.slice(0, 40)}`);
  const [start, slot, index, blockTime, problem] = found as readonly (string | undefined)[];
  const json = `{${line.slice(start?.length)}`;
  const executed = EXECUTED.exec(json);
  const signature = executed ? parseSignature(executed[1]) : findSignature(json);
  return {
    slot: toSlot(Number(slot)),
    index: asU32(Number(index)),
    id: `${slot} ${index}`,
    isFailed: !executed && isFailedTransaction(json),
    blockTime: asInteger(Number(blockTime)),
    json,
    signature,
    missingPart: missingPartOf(json, signature, executed !== null),
    ...(problem !== undefined && { problem: String(JSON.parse(problem)) }),
  };
}

function missingPartOf(json: string, signature: Signature | null, isExecuted: boolean): string | null {
  if (!signature) return 'not a transaction in base64';
  if (isExecuted) return json.endsWith(NO_INSTRUCTIONS) ? 'not all instructions' : null;
  return findMissingPart(json);
}
