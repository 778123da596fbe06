import { type BlockLink } from '@fresnel/domain/chain';
import {
  type ExecutedInstruction,
  parseBlockTime,
  parseParentSlot,
  writeExecutedTransaction,
} from '@fresnel/domain/events';
import {
  asFields,
  asList,
  asNumber,
  asSlot,
  asText,
  asU32,
  MalformedTextError,
  parseHash,
  parseSignature,
} from '@fresnel/domain/primitives';
import { type HistoryHole, type HistorySlot, type HistoryTransaction } from './history-source';

/** What is asked for of each block, in the words of the Portal. */
const BLOCK_FIELDS = { number: true, hash: true, parentNumber: true, parentHash: true, timestamp: true };

/** Fields of blocks whose transactions are counted. */
export const COUNTED_FIELDS = { block: BLOCK_FIELDS, transaction: { transactionIndex: true, err: true } };

/** Fields of blocks whose transactions are read. */
export const READ_FIELDS = {
  block: BLOCK_FIELDS,
  transaction: { transactionIndex: true, signatures: true, err: true },
  instruction: { transactionIndex: true, instructionAddress: true, programId: true, accounts: true, data: true },
};

/** A line of an answer of the Portal, read for one purpose. */
export interface SqdBlock {
  link: BlockLink;
  /** Of the line. */
  sizeBytes: number;
}

export interface CountedBlock extends SqdBlock {
  /** Transactions that succeeded. */
  count: number;
}

export interface ReadBlock extends SqdBlock {
  slot: HistorySlot;
  holes: HistoryHole[];
}

type Row = Record<string, unknown>;

/** @throws MalformedTextError */
export function readCount(line: string): CountedBlock {
  const { header, transactions } = parseLine(line);
  return { link: readLink(header), sizeBytes: line.length, count: transactions.length };
}

/** Reads the transactions of a block, and which of them lack instructions. @throws MalformedTextError */
export function readBlock(line: string): ReadBlock {
  const { header, transactions, instructions } = parseLine(line);
  const link = readLink(header);
  const { slot } = link;
  const holes: HistoryHole[] = [];
  const rows = groupByTransaction(instructions);
  const found = transactions.map(({ transactionIndex, signatures }): HistoryTransaction => {
    const index = asU32(transactionIndex);
    const signature = parseSignature(asText(asList(signatures).at(0)));
    const executed = [...(rows.get(index) ?? [])].sort(byPath);
    const isWhole = hasAll(executed);
    if (!isWhole) holes.push({ slot, index, signature, reason: 'not all instructions' });
    return { index, signature, json: writeExecutedTransaction({ signature, instructions: isWhole ? executed : null }) };
  });
  found.sort((a, b) => a.index - b.index);
  const blockTime = parseBlockTime(header.timestamp);
  return { link, sizeBytes: line.length, slot: { slot, blockTime, link, transactions: found }, holes };
}

/** @returns the rows of both tables in any order, without transactions that failed */
function parseLine(line: string): { header: Row; transactions: Row[]; instructions: Row[] } {
  const { header, transactions = [], instructions = [] } = asFields(parseJson(line));
  return {
    header: asFields(header),
    transactions: asList(transactions).map(asFields).filter(isSuccess),
    instructions: asList(instructions).map(asFields),
  };
}

function readLink({ number, hash, parentNumber, parentHash }: Row): BlockLink {
  const slot = asSlot(number);
  return {
    slot,
    blockhash: parseHash(asText(hash)),
    parentSlot: parseParentSlot(parentNumber, slot),
    parentBlockhash: parseHash(asText(parentHash)),
  };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new MalformedTextError('a line is not JSON', { cause: error });
  }
}

function isSuccess({ err }: Row): boolean {
  return err === null || err === undefined;
}

function groupByTransaction(instructions: readonly Row[]): Map<number, PlacedInstruction[]> {
  const groups = new Map<number, PlacedInstruction[]>();
  for (const row of instructions) {
    const index = asU32(row.transactionIndex);
    const group = groups.get(index) ?? [];
    group.push(readInstruction(row));
    groups.set(index, group);
  }
  return groups;
}

interface PlacedInstruction extends ExecutedInstruction {
  /** Index among the instructions of the message, then among those that each one calls. */
  path: readonly number[];
}

function readInstruction(row: Row): PlacedInstruction {
  const path = asList(row.instructionAddress).map(asNumber);
  const accounts = asList(row.accounts).map(asText);
  return { path, programId: asText(row.programId), accounts, data: asText(row.data), stackHeight: path.length };
}

/** In execution order: what an instruction calls is executed before the next one. */
function byPath({ path: a }: PlacedInstruction, { path: b }: PlacedInstruction): number {
  const at = a.findIndex((step, position) => step !== b.at(position));
  return at === -1 ? a.length - b.length : a[at] - (b.at(at) ?? -1);
}

/** Whether each instruction follows the one before without a gap. One that is missing at the end of its list leaves none. */
function hasAll(sorted: readonly PlacedInstruction[]): boolean {
  let before: readonly number[] = [];
  for (const { path } of sorted) {
    const [callers, place] = [path.slice(0, -1), path.at(-1)];
    const expected = path.length <= before.length ? before[path.length - 1] + 1 : 0;
    if (place !== expected || path.length > before.length + 1) return false;
    if (callers.some((step, at) => step !== before[at])) return false;
    before = path;
  }
  return before.length > 0;
}
