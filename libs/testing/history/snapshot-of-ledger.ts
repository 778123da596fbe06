import { encodeLine, SnapshotFolder, type SnapshotTree } from '@fresnel/adapters/chain/history';
import { parseHash, toSlot } from '@fresnel/domain/primitives';
import { type LedgerBlock } from './history-ledger';
import { type Withheld } from './withheld';

export interface LedgerSnapshotOptions {
  /** Transactions of a chunk, at least one slot. */
  chunkSize?: number;
  withholds?: Withheld;
  genesisHash?: string;
  trees?: SnapshotTree[];
}

/**
 * Writes the snapshot that an index of a ledger would make, 50 slots further than its last block.
 *
 * @returns the SHA-256 of the manifest
 */
export async function writeLedgerSnapshot(
  path: string,
  ledger: readonly LedgerBlock[],
  { chunkSize = 40, withholds = () => false, genesisHash = 'genesis', trees = [] }: LedgerSnapshotOptions = {},
): Promise<string> {
  const folder = await SnapshotFolder.open(path);
  const [first, last] = [ledger[0], ledger[ledger.length - 1]];
  const to = toSlot(last.slot + 50);
  let from = toSlot(first.slot);
  let lines: string[] = [];
  for (const { slot, blockTime, transactions } of ledger) {
    for (const transaction of transactions.filter((each) => !each.isFailed && !withholds(each))) {
      const json = `{"slot":${slot},"blockTime":${blockTime},${transaction.json.slice(1)}`;
      lines.push(encodeLine({ slot: toSlot(slot), index: transaction.index, json, problem: null }));
    }
    if (lines.length < chunkSize) continue;
    await folder.addChunk({ from, to: toSlot(slot) }, lines);
    from = toSlot(slot + 1);
    lines = [];
  }
  await folder.addChunk({ from, to }, lines);
  const anchor = { slot: to, blockhash: parseHash(last.hash) };
  return folder.finish({ madeBy: 'test', genesisHash, from: toSlot(first.slot), anchor, trees });
}
