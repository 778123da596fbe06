import { type Hash, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type BlockFacts, type TransactionFacts } from './facts';
import { JsonText, writeJson } from './transaction/json';

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
