import { type OpenTree, type TreePartition } from '@fresnel/adapters/tree-store';
import { type TreeHasher } from '@fresnel/domain/primitives';
import { now } from '@fresnel/platform/time';

/** What a batch reads of its partition. */
export type BatchReads = Pick<TreePartition, 'blocks' | 'trees' | 'openTree'>;

/** Stages of a batch that alternate while it is applied. */
type AlternatingStage = 'read' | 'hash';

/** Adds up how long one batch waits for reads of the store, and for hashes. Waits of several trees at once count once. */
export class StageClock {
  readonly seconds: Record<AlternatingStage, number> = { read: 0, hash: 0 };
  /** The waits in progress, and since when there are some. */
  private readonly waits = { read: { count: 0, startedAt: 0 }, hash: { count: 0, startedAt: 0 } };

  /** The partition, with the reads of its trees measured. */
  reads(partition: TreePartition): BatchReads {
    const { blocks, trees } = partition;
    const openTree: BatchReads['openTree'] = async (tree) => {
      return this.readsOf(await this.measure('read', partition.openTree(tree)));
    };
    return { blocks, trees, openTree };
  }

  private readsOf(tree: OpenTree): OpenTree {
    const { entry, head } = tree;
    return {
      ...{ entry, head },
      findLowElements: (values) => this.measure('read', tree.findLowElements(values)),
      readPages: (ids) => this.measure('read', tree.readPages(ids)),
      readQueue: (from, to) => this.measure('read', tree.readQueue(from, to)),
      readNullifiers: (from, to) => this.measure('read', tree.readNullifiers(from, to)),
      readUndo: () => this.measure('read', tree.readUndo()),
    };
  }

  /** The hash functions, with batches measured. Single hashes are few, and not measured. */
  hasher({ hash, hashBatch, hashSeries }: TreeHasher): TreeHasher {
    return {
      hash,
      hashBatch: (arity, inputs) => this.measure('hash', hashBatch(arity, inputs)),
      hashSeries: (series) => this.measure('hash', hashSeries(series)),
    };
  }

  private async measure<Result>(stage: AlternatingStage, started: Promise<Result>): Promise<Result> {
    const waits = this.waits[stage];
    if (waits.count++ === 0) waits.startedAt = now();
    try {
      return await started;
    } finally {
      if (--waits.count === 0) this.seconds[stage] += (now() - waits.startedAt) / 1000;
    }
  }
}
