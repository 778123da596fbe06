import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatTreesFile } from '@fresnel/adapters/chain';
import {
  type GeneratedBlock,
  generatedTrees,
  generateLedger,
  type LedgerOptions,
  LedgerOracle,
} from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { type Environment } from './fresnel-process';

/** A generated ledger that a fake node reveals block by block, and an oracle of the revealed blocks. */
export class LiveLedger {
  readonly oracle = new LedgerOracle();
  private revealedCount = 0;

  private constructor(
    readonly blocks: readonly GeneratedBlock[],
    readonly node: FakeNode,
    /** Folder for the data of its indexers; deleted by `close`. */
    readonly folder: string,
  ) {}

  /** Generates a ledger and starts its node. @param history number of blocks that are revealed at once, at least one */
  static async open(options: LedgerOptions, history: number): Promise<LiveLedger> {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-live-'));
    writeFileSync(join(folder, 'trees.json'), formatTreesFile(generatedTrees()));
    const ledger = new LiveLedger([...generateLedger(options)], await FakeNode.start(), folder);
    ledger.reveal(history);
    return ledger;
  }

  /** Environment variables for an indexer of this ledger. */
  get env(): Environment {
    return {
      SOLANA_RPC_URL: this.node.url,
      FRESNEL_DATA_DIR: this.folder,
      TREES_FILE: join(this.folder, 'trees.json'),
      INGEST_START_SLOT: String(this.blocks[0].slot),
      INGEST_POLL_INTERVAL_MS: '50',
    };
  }

  /** Newest revealed slot. */
  get tip(): number {
    return this.oracle.slot;
  }

  /** Blocks that are revealed. */
  get revealed(): readonly GeneratedBlock[] {
    return this.blocks.slice(0, this.revealedCount);
  }

  /** Number of blocks that are not revealed yet. */
  get remaining(): number {
    return this.blocks.length - this.revealedCount;
  }

  /** Adds the next blocks to the chain. */
  reveal(count: number): void {
    const next = this.blocks.slice(this.revealedCount, this.revealedCount + count);
    this.revealedCount += next.length;
    for (const block of next) this.oracle.apply(block);
    this.node.add(next);
  }

  /**
   * Adds a block every `paceMs` until the promise has settled.
   *
   * @throws when the ledger has too few blocks, or with the promise's own error
   */
  async revealWhile(paceMs: number, promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    settled.catch(() => undefined);
    while (!isSettled) {
      if (this.remaining === 0) throw new Error(`all ${this.blocks.length} blocks are revealed`);
      this.reveal(1);
      await sleep(paceMs);
    }
    await settled;
  }

  async close(): Promise<void> {
    await this.node.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
