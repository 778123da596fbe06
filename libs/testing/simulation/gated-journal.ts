import { StoreUnavailableError } from '@fresnel/adapters/store-schema';
import {
  ELEMENT_BYTES,
  InMemoryTreeJournal,
  type JournaledTree,
  OtherLogError,
  type TreeContents,
  type TreeJournal,
  type TreeLog,
} from '@fresnel/adapters/tree-store';
import { type Pubkey } from '@fresnel/domain/primitives';
import { UNDO_DEPTH } from '@fresnel/domain/trees';

/** Executes a call to the journal: at once, or when a scheduler selects it. */
export type JournalCall = <Result>(name: string, execute: () => Result | Promise<Result>) => Promise<Result>;

/** A journal that fails over, and then lacks its newest entries. Transactions that have begun before fail. */
export class FailingJournal extends InMemoryTreeJournal {
  failovers = 0;

  /** @param owner the log that the trees belong to */
  constructor(
    private readonly owner: TreeLog,
    keptStates: number,
  ) {
    super(keptStates);
  }

  /** @throws OtherLogError */
  requireLog(log: TreeLog): void {
    if (this.owner.topic !== log.topic) throw new OtherLogError(this.owner, log);
  }

  override lose(entries: number): void {
    this.failovers++;
    super.lose(entries);
  }

  /** @returns why an address tree is incomplete; null if it is complete */
  findGap(tree: Pubkey): Promise<string | null> {
    return this.readTree(tree, async (found) => {
      if (!found) return null;
      const { info, nextIndex, changes } = found.head;
      let bytes = 0;
      for await (const chunk of found.reads.elementChunks(tree)) bytes += chunk.length;
      const elements = bytes / ELEMENT_BYTES;
      const records = (await found.reads.readUndo(info)).length;
      if (elements !== nextIndex) return `the journal of ${info.type} has ${elements} elements of ${nextIndex}`;
      if (records === Math.min(changes.count, UNDO_DEPTH)) return null;
      return `the journal of ${info.type} has ${records} undo records of ${changes.count} changes`;
    });
  }
}

/** The journal as one process reaches it: each read of a transaction is a call of its own. */
export class GatedJournal implements TreeJournal {
  constructor(
    private readonly journal: FailingJournal,
    private readonly call: JournalCall,
    private readonly log: TreeLog,
  ) {}

  open(): Promise<void> {
    return Promise.resolve();
  }

  persist(...args: Parameters<TreeJournal['persist']>): Promise<void> {
    return this.callOfLog('persist', () => this.journal.persist(...args));
  }

  readPartition(...args: Parameters<TreeJournal['readPartition']>): ReturnType<TreeJournal['readPartition']> {
    return this.callOfLog('read partition', () => this.journal.readPartition(...args));
  }

  async readTree<Result>(
    tree: Parameters<TreeJournal['readTree']>[0],
    read: (tree: JournaledTree | null) => Promise<Result>,
  ): Promise<Result> {
    const found = await this.callOfLog('read tree', () => this.journal.readTree(tree, (one) => Promise.resolve(one)));
    return read(found && { ...found, reads: this.gated(found.reads) });
  }

  private callOfLog<Result>(name: string, execute: () => Promise<Result>): Promise<Result> {
    return this.call(name, () => {
      this.journal.requireLog(this.log);
      return execute();
    });
  }

  private gated(reads: TreeContents): TreeContents {
    const { failovers } = this.journal;
    const gate: JournalCall = (name, execute) =>
      this.call(name, () => {
        if (failovers !== this.journal.failovers) throw new StoreUnavailableError('the server was replaced');
        return execute();
      });
    return {
      elementChunks: (tree) => gatedChunks(reads.elementChunks(tree), gate),
      pageChunks: (info) => gatedChunks(reads.pageChunks(info), gate),
      readQueue: (...args) => gate('read queue', () => reads.readQueue(...args)),
      readNullifiers: (...args) => gate('read nullifiers', () => reads.readNullifiers(...args)),
      readUndo: (...args) => gate('read undo', () => reads.readUndo(...args)),
      readElements: (...args) => gate('read elements', () => reads.readElements(...args)),
      readPages: (...args) => gate('read pages', () => reads.readPages(...args)),
    };
  }
}

async function* gatedChunks(chunks: AsyncGenerator<Buffer, void>, gate: JournalCall): AsyncGenerator<Buffer, void> {
  for (;;) {
    const { value } = await gate('read chunk', () => chunks.next());
    if (!value) return;
    yield value;
  }
}
