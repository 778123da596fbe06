import { type IndexOverview, type OperatorOverview, type StoredTree } from '@fresnel/adapters/store-read';
import { type IndexerStatus } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { VERSION } from '@fresnel/platform';
import { refusalOf } from './tree-status.presenter';

interface StatusParts {
  index: IndexOverview;
  trees: readonly StoredTree[];
  acceptTreeGaps: boolean;
  /** Null: it is not published. */
  operator: OperatorOverview | null;
}

export function presentIndexerStatus(
  { index, trees, acceptTreeGaps, operator }: StatusParts,
  nowMs: number,
): IndexerStatus {
  const { slot, blockhash, blockTime, chainTip, firstSlot, attestedTo } = index;
  const lagOf = (reached: number | null) =>
    chainTip === null || reached === null ? null : Math.max(chainTip - reached, 0);
  const refused = trees.filter((tree) => refusalOf(tree, acceptTreeGaps) !== null).length;
  return {
    slot,
    blockhash: blockhash && toBase58(blockhash),
    blockTime,
    chainSlot: chainTip,
    lagSlots: lagOf(slot),
    lagSeconds: blockTime === null ? null : Math.max(Math.floor(nowMs / 1000) - blockTime, 0),
    firstSlot,
    attestedTo,
    version: VERSION,
    trees: { served: trees.length - refused, refused },
    ...(operator && {
      deadLetters: operator.deadLetters,
      consumers: operator.consumers.map((consumer) => ({ ...consumer, lagSlots: lagOf(consumer.slot) })),
    }),
  };
}
