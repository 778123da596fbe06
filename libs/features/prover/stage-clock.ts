import { type TreeReads, type TreeStore } from '@fresnel/adapters/tree-store';
import { type TreeHasher } from '@fresnel/domain/primitives';

/** What a batch reads from the store. */
export type BatchReads = TreeReads & Pick<TreeStore, 'listHeads'>;

/** Stages of a batch that alternate while it is applied. */
type AlternatingStage = 'read' | 'hash';

/** Adds up how long one batch waits for reads of the store, and for hashes. Waits of several trees at once count once. */
export class StageClock {
  readonly seconds: Record<AlternatingStage, number> = { read: 0, hash: 0 };
  /** The waits in progress, and since when there are some. */
  private readonly waits = { read: { count: 0, startedAt: 0 }, hash: { count: 0, startedAt: 0 } };

  /** The store, with its reads measured. */
  reads(store: BatchReads): BatchReads {
    return {
      listHeads: () => this.measure('read', store.listHeads()),
      findHead: (tree) => this.measure('read', store.findHead(tree)),
      findLowElements: (tree, values) => this.measure('read', store.findLowElements(tree, values)),
      readPages: (tree, ids) => this.measure('read', store.readPages(tree, ids)),
      readQueue: (tree, from, to) => this.measure('read', store.readQueue(tree, from, to)),
      readNullifiers: (tree, from, to) => this.measure('read', store.readNullifiers(tree, from, to)),
      readUndo: (tree) => this.measure('read', store.readUndo(tree)),
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
    if (waits.count++ === 0) waits.startedAt = performance.now();
    try {
      return await started;
    } finally {
      if (--waits.count === 0) this.seconds[stage] += (performance.now() - waits.startedAt) / 1000;
    }
  }
}
