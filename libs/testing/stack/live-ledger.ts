import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GeneratedBlock, generateLedger, type LedgerOptions, LedgerOracle } from '@fresnel/ledger-generator';
import { FakeNode } from '@fresnel/testing/chain';
import { FresnelProcess, type Environment } from './fresnel-process';

/** A generated ledger, a fake node that reveals it block by block, and the oracle for the revealed blocks. */
export class LiveLedger {
  readonly oracle = new LedgerOracle();
  private revealed = 0;

  private constructor(
    readonly blocks: readonly GeneratedBlock[],
    readonly node: FakeNode,
    /** Data folder for the processes that index the ledger. `close` deletes it. */
    readonly folder: string,
  ) {}

  /** Generates a ledger and starts its node. @param history number of blocks that the node has from the start, at least one */
  static async open(options: LedgerOptions, history: number): Promise<LiveLedger> {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-live-'));
    const trees = ['--trees', join(folder, 'trees.json')];
    await FresnelProcess.run(['generate', '--out', join(folder, 'unused.ndjson'), '--slots', '1', ...trees]);
    const ledger = new LiveLedger([...generateLedger(options)], await FakeNode.start(), folder);
    ledger.reveal(history);
    return ledger;
  }

  /** Environment variables of a process that indexes this ledger. */
  get env(): Environment {
    return {
      SOLANA_RPC_URL: this.node.url,
      TREES_FILE: join(this.folder, 'trees.json'),
      INGEST_START_SLOT: String(this.blocks[0].slot),
      INGEST_POLL_INTERVAL_MS: '50',
    };
  }

  /** The newest revealed slot. */
  get tip(): number {
    return this.oracle.slot;
  }

  /** Number of blocks that are not revealed yet. */
  get remaining(): number {
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
   * Reveals block after block until a promise is settled.
   *
   * @throws if the ledger has too few blocks
   */
  async revealWhile(paceMs: number, task: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = task.finally(() => (isSettled = true));
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
