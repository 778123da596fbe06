import { type Hash, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type BlockFacts, type TransactionFacts } from './facts';
import { JsonText, writeJson } from './transaction/json';

/** A block with what truly happened in it. */
export interface GeneratedBlock {
  slot: number;
  parentSlot: number;
  /** The result of `getBlock` in base64 encoding with one more member, `slot`, before the others. Some numbers exceed 2^53. */
  json: string;
  facts: BlockFacts;
}

/** A block without its transactions. */
export interface BlockFrame {
  slot: Slot;
  parentSlot: Slot;
  blockhash: Hash;
  parentBlockhash: Hash;
  /** Unix seconds. */
  blockTime: number;
  blockHeight: number;
}

/** Puts a block together. */
export function sealBlock(frame: BlockFrame, transactions: readonly TransactionFacts[]): GeneratedBlock {
  const { slot, parentSlot, blockTime, blockHeight } = frame;
  const json = writeJson({
    slot,
    parentSlot,
    blockhash: toBase58(frame.blockhash),
    previousBlockhash: toBase58(frame.parentBlockhash),
    blockTime,
    blockHeight,
    transactions: transactions.map(({ members }) => new JsonText(`{${members}}`)),
    rewards: [],
  });
  return { slot, parentSlot, json, facts: { slot, blockTime, transactions } };
}
