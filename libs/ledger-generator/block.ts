import { type Hash, type Slot, toBase58, toHash, toSlot } from '@fresnel/domain/primitives';
import { type BlockFacts, type TransactionFacts } from './facts';
import { type Random } from './random';
import { JsonText, writeJson } from './transaction/json';

const GENESIS_TIME_SECONDS = 1_700_000_000;
const SLOT_SECONDS = 0.2;

/** A generated block with its facts. */
export interface GeneratedBlock {
  slot: number;
  parentSlot: number;
  /** The `getBlock` result in base64 encoding, with an additional first member `slot`. Some numbers exceed 2^53. */
  json: string;
  facts: BlockFacts;
}

/** A block without its transactions. */
export interface BlockHeader {
  slot: Slot;
  parentSlot: Slot;
  blockhash: Hash;
  parentBlockhash: Hash;
  /** Unix seconds. */
  blockTime: number;
  blockHeight: number;
}

/** Builds a block of finished transactions. */
export function assembleBlock(header: BlockHeader, transactions: readonly TransactionFacts[]): GeneratedBlock {
  const { slot, parentSlot, blockTime, blockHeight } = header;
  const json = writeJson({
    slot,
    parentSlot,
    blockhash: toBase58(header.blockhash),
    previousBlockhash: toBase58(header.parentBlockhash),
    blockTime,
    blockHeight,
    transactions: transactions.map(({ members }) => new JsonText(`{${members}}`)),
    rewards: [],
  });
  return { slot, parentSlot, json, facts: { slot, blockTime, transactions } };
}

/** Header of the block before the first block of a ledger. */
export function parentOfFirstBlock(firstSlot: number, random: Random): BlockHeader {
  const slot = toSlot(Math.max(0, firstSlot - 1));
  return {
    slot,
    parentSlot: slot,
    blockhash: toHash(random.bytes(32)),
    parentBlockhash: toHash(random.bytes(32)),
    blockTime: timeOf(slot),
    blockHeight: slot,
  };
}

/** Header of a block with a random blockhash. */
export function childOf(parent: BlockHeader, slot: Slot, random: Random): BlockHeader {
  return {
    slot,
    parentSlot: parent.slot,
    blockhash: toHash(random.bytes(32)),
    parentBlockhash: parent.blockhash,
    blockTime: timeOf(slot),
    blockHeight: parent.blockHeight + 1,
  };
}

function timeOf(slot: Slot): number {
  return GENESIS_TIME_SECONDS + Math.floor(slot * SLOT_SECONDS);
}
