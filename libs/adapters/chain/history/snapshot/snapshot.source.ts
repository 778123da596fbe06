import { LRUCache } from 'lru-cache';
import { findNamedAccounts } from '@fresnel/domain/events';
import { keyOf, messageOf, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type Backoff, type Logger, pauseAfter, redact, reportProgress } from '@fresnel/platform';
import { wait } from '@fresnel/platform/time';
import { NoAnswerError } from '../../rpc-answer';
import { type GtfaTransaction } from '../gtfa-items';
import {
  HistoryAnswerError,
  type HistoryExtent,
  type HistoryPage,
  HistoryRefusedError,
  type HistorySource,
  type HistoryUsage,
  type SlotRange,
} from '../history-source';
import { toHistoryPage } from '../to-history-page';
import { decodeChunk } from './snapshot-chunk.codec';
import {
  decodeManifest,
  MANIFEST,
  manifestNameOf,
  sha256Of,
  type SnapshotChunk,
  SnapshotError,
  type SnapshotManifest,
} from './snapshot-manifest';
import { openMirror, type SnapshotMirror } from './snapshot-mirror';
import { MAX_MANIFEST_BYTES } from './snapshot-sizes';

export interface SnapshotSourceOptions {
  /** At least one mirror of the snapshot, with the protocol `file:`, `http:` or `https:`. The next one has what one cannot give. */
  urls: readonly string[];
  /** The manifest to accept, in hex; null: the first one that a mirror has. */
  manifestSha256: string | null;
  /** The program that all transactions of a snapshot name. */
  program: Pubkey;
  /** How long a mirror may send nothing. */
  timeoutMs: number;
  backoff: Backoff;
}

/** A chunk that differs from the manifest is fetched once more from the same mirror: it may have been replaced just then. */
const ATTEMPTS = 2;
/** Rounds over all mirrors that do not answer, before a start is given up. Later on they are asked until they do. */
const MANIFEST_ROUNDS = 4;
/** Chunks that parts of history share, or that are read next: the parts that are read side by side have three or four. */
const CACHED_TEXT_BYTES = 16 * 2 ** 20;

/** Reads the past from a snapshot of another index. Chunks are checked before they are used: a mirror can withhold, and not forge. */
export class SnapshotSource implements HistorySource {
  /** As the index had them: some may lack their bytes. */
  readonly hasBytes = false;
  readonly hasLinks = false;
  readonly usage: HistoryUsage = { calls: 0, bytes: 0 };
  readonly name: string;
  private readonly mirrors: readonly SnapshotMirror[];
  /** The mirror that gave the last file. */
  private preferred = 0;
  private manifest: Promise<SnapshotManifest> | null = null;
  private readonly chunks = new LRUCache<string, Promise<GtfaTransaction[]>>({ maxSize: CACHED_TEXT_BYTES });

  constructor(
    private readonly options: SnapshotSourceOptions,
    private readonly logger: Logger,
  ) {
    this.mirrors = options.urls.map((url) => openMirror(url, options.timeoutMs));
    this.name = `snapshot of ${this.mirrors[0].name}`;
  }

  /** @throws HistoryRefusedError if no mirror has a manifest that can be used */
  readManifest(signal: AbortSignal): Promise<SnapshotManifest> {
    const reading = (this.manifest ??= this.fetchManifest(signal));
    reading.catch(() => (this.manifest = null));
    return reading;
  }

  async findExtent(signal: AbortSignal): Promise<HistoryExtent> {
    const { from, anchor, genesisHash } = await this.readManifest(signal);
    return { from, anchor, genesisHash };
  }

  async *read(range: SlotRange, about: readonly Pubkey[], signal: AbortSignal): AsyncIterable<HistoryPage> {
    const { from, anchor, chunks } = await this.readManifest(signal);
    if (range.to > anchor.slot) {
      throw new HistoryRefusedError(`the ${this.name} ends at slot ${anchor.slot}, and not at ${range.to}`);
    }
    if (range.from < from) yield { from: range.from, to: toSlot(Math.min(from - 1, range.to)), slots: [], holes: [] };
    const isAbout = this.filterFor(about);
    for (const chunk of chunks.filter((each) => each.to >= range.from && each.from <= range.to)) {
      const part = { from: toSlot(Math.max(chunk.from, range.from)), to: toSlot(Math.min(chunk.to, range.to)) };
      const isInside = ({ slot }: GtfaTransaction) => slot >= part.from && slot <= part.to;
      const transactions = await this.readChunk(chunk, signal);
      yield toHistoryPage(
        part,
        transactions.filter((each) => isInside(each) && isAbout(each)),
      );
    }
  }

  async count(range: SlotRange, about: Pubkey, signal: AbortSignal): Promise<number> {
    let count = 0;
    for await (const { slots } of this.read(range, [about], signal)) {
      for (const { transactions } of slots) count += transactions.length;
    }
    return count;
  }

  /**
   * Reads a chunk, whose file has the hash that the manifest names.
   *
   * @throws HistoryAnswerError if no mirror has it
   */
  readChunk(chunk: SnapshotChunk, signal: AbortSignal): Promise<GtfaTransaction[]> {
    const known = this.chunks.get(chunk.name);
    if (known) return known;
    const reading = this.fetchChunk(chunk, signal);
    this.chunks.set(chunk.name, reading, { size: Math.max(chunk.textBytes, 1) });
    reading.catch(() => this.chunks.delete(chunk.name));
    return reading;
  }

  private filterFor(about: readonly Pubkey[]): (transaction: GtfaTransaction) => boolean {
    if (about.some((account) => account.equals(this.options.program))) return () => true;
    const wanted = new Set(about.map(keyOf));
    return ({ json }) => findNamedAccounts(json).some((account) => wanted.has(keyOf(account)));
  }

  private async fetchManifest(signal: AbortSignal): Promise<SnapshotManifest> {
    const { manifestSha256: expected } = this.options;
    const failures: string[] = [];
    for (let round = 1; ; round++) {
      let isWorthWaiting = false;
      for (const mirror of this.mirrors) {
        try {
          const file = expected === null ? MANIFEST : manifestNameOf(expected);
          const bytes = await this.fetch(mirror, file, MAX_MANIFEST_BYTES, signal);
          if (expected !== null) requireHash(file, bytes, expected);
          return decodeManifest(bytes, mirror.name);
        } catch (error) {
          failures.push(this.report(error, mirror, round));
          isWorthWaiting ||= error instanceof NoAnswerError;
        }
      }
      if (!isWorthWaiting || round === MANIFEST_ROUNDS) {
        throw new HistoryRefusedError(
          `no mirror has a snapshot that can be used: ${[...new Set(failures)].join('; ')}`,
        );
      }
      await this.pause(round, signal);
    }
  }

  private async fetchChunk(chunk: SnapshotChunk, signal: AbortSignal): Promise<GtfaTransaction[]> {
    for (let round = 1; ; round++) {
      const failures: string[] = [];
      const first = this.preferred;
      let isWorthWaiting = false;
      for (let tried = 0; tried < this.mirrors.length * ATTEMPTS; tried++) {
        const place = (first + Math.floor(tried / ATTEMPTS)) % this.mirrors.length;
        const mirror = this.mirrors[place];
        try {
          const bytes = await this.fetch(mirror, chunk.name, chunk.bytes, signal);
          requireHash(chunk.name, bytes, chunk.sha256);
          this.preferred = place;
          return await decodeChunk(bytes, chunk);
        } catch (error) {
          failures.push(this.report(error, mirror, round));
          isWorthWaiting ||= error instanceof NoAnswerError;
        }
      }
      if (!isWorthWaiting) {
        throw new HistoryAnswerError(`no mirror has ${chunk.name} as the manifest names it: ${failures.join('; ')}`);
      }
      await this.pause(round, signal);
    }
  }

  private async fetch(mirror: SnapshotMirror, file: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
    signal.throwIfAborted();
    this.usage.calls++;
    const bytes = await mirror.read(file, maxBytes, signal);
    this.usage.bytes += bytes.length;
    reportProgress();
    return bytes;
  }

  /** @returns what to say of it @throws an error of another kind */
  private report(error: unknown, mirror: SnapshotMirror, round: number): string {
    if (!(error instanceof SnapshotError || error instanceof NoAnswerError)) throw error;
    const reason = redact(messageOf(error));
    this.logger.warn({ mirror: mirror.name, round, reason }, 'a mirror of a snapshot has not given a file');
    return error instanceof SnapshotError ? reason : `${mirror.name} does not answer: ${reason}`;
  }

  private async pause(round: number, signal: AbortSignal): Promise<void> {
    await wait(pauseAfter(round, { ...this.options.backoff, isRandom: true }), signal);
    signal.throwIfAborted();
  }
}

function requireHash(file: string, bytes: Buffer, expected: string): void {
  const sha256 = sha256Of(bytes);
  if (sha256 === expected) return;
  throw new SnapshotError(`${file} is not the file of the snapshot: its SHA-256 is ${sha256} instead of ${expected}`);
}
