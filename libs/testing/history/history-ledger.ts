import { decodeTransaction, JsonCursor, parseBlock } from '@fresnel/domain/events';
import { encodeBase58, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type FakeBlock } from '@fresnel/testing/chain';

/** A block as providers of history know it. Keys, hashes and data are in base58. */
export interface LedgerBlock {
  slot: number;
  hash: string;
  parentSlot: number;
  parentHash: string;
  blockTime: number | null;
  transactions: LedgerTransaction[];
}

export interface LedgerTransaction {
  slot: number;
  blockTime: number | null;
  index: number;
  signature: string;
  version: 'legacy' | 0 | 1;
  isFailed: boolean;
  staticKeys: string[];
  /** From lookup tables. */
  loadedKeys: string[];
  /** In execution order. */
  instructions: LedgerInstruction[];
  /** As the block has it. */
  json: string;
}

export interface LedgerInstruction {
  /** Index among the instructions of the message, then among those that each one calls. */
  path: number[];
  programId: string;
  accounts: string[];
  data: string;
}

interface Compiled {
  programIdIndex: number;
  accounts: number[];
  data: string;
  stackHeight: number;
}

interface EntryJson {
  meta: {
    err: unknown;
    innerInstructions?: { index: number; instructions: Compiled[] }[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] };
  };
}

/** Reads the blocks of a node. Sorted by slot, and none twice. */
export function readHistoryLedger(blocks: readonly FakeBlock[]): LedgerBlock[] {
  return [...blocks].sort((a, b) => a.slot - b.slot).map(readBlock);
}

function readBlock({ slot, json }: FakeBlock): LedgerBlock {
  const block = parseBlock(new JsonCursor(json), toSlot(slot));
  const { blockTime } = block;
  return {
    slot,
    hash: toBase58(block.blockhash),
    parentSlot: block.parentSlot,
    parentHash: toBase58(block.parentBlockhash),
    blockTime,
    transactions: block.transactions.map((transaction) => readTransaction({ slot, blockTime, ...transaction })),
  };
}

function readTransaction(place: Pick<LedgerTransaction, 'slot' | 'blockTime' | 'index' | 'json'>): LedgerTransaction {
  const { transaction, meta } = JSON.parse(place.json) as EntryJson & { transaction: [string, string] };
  const { version, signature, staticKeys, instructions } = decodeTransaction(Buffer.from(transaction[0], 'base64'));
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const loadedKeys = [...writable, ...readonly];
  const keys = [...staticKeys.map(toBase58), ...loadedKeys];
  const resolve = (path: number[], { programIdIndex, accounts, data }: Omit<Compiled, 'stackHeight'>) => {
    return { path, programId: keys[programIdIndex], accounts: accounts.map((at) => keys[at]), data };
  };
  const called = new Map(meta.innerInstructions?.map(({ index, instructions: inner }) => [index, inner]));
  return {
    ...place,
    signature: toBase58(signature),
    version,
    isFailed: meta.err !== null,
    staticKeys: staticKeys.map(toBase58),
    loadedKeys,
    instructions: instructions.flatMap(({ programIndex, accountIndices, data }, at) => {
      const outer = { programIdIndex: programIndex, accounts: [...accountIndices], data: encodeBase58(data) };
      const inner = called.get(at) ?? [];
      const paths = pathsOf(at, inner);
      return [resolve([at], outer), ...inner.map((each, position) => resolve(paths[position], each))];
    }),
  };
}

/** The paths of the instructions that the one at `at` has called. */
function pathsOf(at: number, inner: readonly Compiled[]): number[][] {
  let path = [at];
  return inner.map(({ stackHeight }) => {
    const callers = path.slice(0, stackHeight - 1);
    path = [...callers, path.length >= stackHeight ? path[stackHeight - 1] + 1 : 0];
    return path;
  });
}
