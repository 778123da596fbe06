import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedBlock, generateLedger, type LedgerOptions, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { FresnelProcess, type Settings } from './fresnel-process';

/** A generated ledger that a fake node reveals as a chain grows, and the oracle of what is revealed. */
export class LiveLedger {
  readonly oracle = new LedgerOracle();
  private revealed = 0;

  private constructor(
    readonly blocks: readonly GeneratedBlock[],
    readonly node: FakeNode,
    /** For whoever indexes it; goes away with it. */
    readonly folder: string,
  ) {}

  /** Generates a ledger and starts its node. @param history how many blocks are there from the start, at least one */
  static async open(options: LedgerOptions, history: number): Promise<LiveLedger> {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-live-'));
    const trees = ['--trees', join(folder, 'trees.json')];
    await FresnelProcess.run(['generate', '--out', join(folder, 'unused.ndjson'), '--slots', '1', ...trees]);
    const ledger = new LiveLedger([...generateLedger(options)], await FakeNode.start(), folder);
    ledger.reveal(history);
    return ledger;
  }

  /** Configuration for an index of this ledger. */
  get settings(): Settings {
    return {
      SOLANA_RPC_URL: this.node.url,
      TREES_FILE: join(this.folder, 'trees.json'),
      INGEST_START_SLOT: String(this.blocks[0].slot),
      INGEST_POLL_INTERVAL_MS: '50',
    };
  }

  /** Newest slot that is revealed. */
  get tip(): number {
    return this.oracle.slot;
  }

  /** How many blocks are still to come. */
  get left(): number {
    return this.blocks.length - this.revealed;
  }

  /** Adds the next blocks to the chain. */
  reveal(count: number): void {
    const next = this.blocks.slice(this.revealed, this.revealed + count);
    this.revealed += next.length;
    for (const block of next) this.oracle.apply(block);
    this.node.add(next);
  }

  /**
   * Adds block after block until something has come true.
   *
   * @throws when the ledger is too short for that
   */
  async revealWhile(paceMs: number, something: Promise<unknown>): Promise<void> {
    let isOver = false;
    const settled = something.finally(() => (isOver = true));
    settled.catch(() => undefined);
    while (!isOver) {
      if (this.left === 0) throw new Error(`all ${this.blocks.length} blocks are revealed`);
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
