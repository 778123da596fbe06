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
import { FakeValidityProver } from '@fresnel/testing/validity-proofs';
import { type Environment } from './fresnel-process';

const MAX_BEHIND = 40;
/** As on the chain. Each block costs all services and servers of a stack 65 ms of processor time. */
const PACE_MS = 400;

/** A ledger that is generated while a fake node reveals it block by block, an oracle of the revealed blocks, and a fake prover. */
export class LiveLedger {
  readonly oracle = new LedgerOracle();
  /** Those that are revealed. */
  private readonly blocks: GeneratedBlock[] = [];
  private readonly pending: GeneratedBlock[] = [];
  private seenRequests = 0;
  private newestRead = 0;

  private constructor(
    private readonly generated: Generator<GeneratedBlock, void>,
    readonly node: FakeNode,
    private readonly validityProver: FakeValidityProver,
    /** Folder for the data of its indexers; deleted by `close`. */
    readonly folder: string,
    private readonly onBlock: (oracle: LedgerOracle) => void,
  ) {}

  /**
   * Starts the node of a ledger, and a validity prover.
   *
   * @param history number of blocks that are revealed at once, at least one
   * @param onBlock called after each block that is revealed
   */
  static async open(
    options: LedgerOptions,
    history: number,
    onBlock: (oracle: LedgerOracle) => void = () => undefined,
  ): Promise<LiveLedger> {
    const folder = mkdtempSync(join(tmpdir(), 'fresnel-live-'));
    writeFileSync(join(folder, 'trees.json'), formatTreesFile(generatedTrees()));
    const servers = [await FakeNode.start(), await FakeValidityProver.start()] as const;
    const ledger = new LiveLedger(generateLedger(options), ...servers, folder, onBlock);
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
      INGEST_POLL_INTERVAL_MS: '150',
      VALIDITY_PROVER_URL: this.validityProver.url,
    };
  }

  /** Newest revealed slot. */
  get tip(): number {
    return this.oracle.slot;
  }

  /** Blocks that are revealed. */
  get revealed(): readonly GeneratedBlock[] {
    return [...this.blocks];
  }

  /** Generates all blocks that are not revealed yet. @returns how many there are */
  generateAll(): number {
    this.generate(Infinity);
    return this.pending.length;
  }

  /** Adds the next blocks to the chain. @returns how many there were */
  reveal(count: number): number {
    this.generate(count);
    const next = this.pending.splice(0, count);
    for (const block of next) {
      this.oracle.apply(block);
      this.onBlock(this.oracle);
    }
    this.blocks.push(...next);
    this.node.add(next);
    return next.length;
  }

  private generate(count: number): void {
    while (this.pending.length < count) {
      const { done, value } = this.generated.next();
      if (done) return;
      this.pending.push(value);
    }
  }

  /**
   * Adds a block every `PACE_MS` until the promise has settled. Waits while an indexer is `MAX_BEHIND` blocks behind, so that no
   * machine is too slow for the ledger.
   *
   * @throws when the ledger has too few blocks, or with the promise's own error
   */
  async revealWhile(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const settled = promise.finally(() => (isSettled = true));
    settled.catch(() => undefined);
    while (!isSettled) {
      if (this.countUnread() < MAX_BEHIND && this.reveal(1) === 0)
        throw new Error(`all ${this.blocks.length} blocks are revealed`);
      await sleep(PACE_MS);
    }
    await settled;
  }

  /** Blocks after the newest one that an indexer has requested. */
  private countUnread(): number {
    for (const { method, params } of this.node.requests.slice(this.seenRequests)) {
      if (method === 'getBlock') this.newestRead = Math.max(this.newestRead, Number(params[0]));
    }
    this.seenRequests = this.node.requests.length;
    return this.blocks.length - 1 - this.blocks.findLastIndex(({ slot }) => slot <= this.newestRead);
  }

  async close(): Promise<void> {
    await this.node.close();
    await this.validityProver.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
