import { appendFile, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@fresnel/domain/primitives';
import { type SlotRange } from '../history-source';
import { encodeChunk } from './snapshot-chunk.codec';
import {
  chunkName,
  decodeManifest,
  encodeManifest,
  MANIFEST,
  manifestNameOf,
  sha256Of,
  type SnapshotChunk,
  SnapshotError,
  type SnapshotManifest,
} from './snapshot-manifest';

/** The chunks that were written since the manifest, one a line. */
const PROGRESS = 'chunks.partial';

/**
 * Writes a snapshot into a folder. Each file is written under another name and then renamed, the manifest last, so that readers see whole
 * files only. A folder that has a snapshot, or a part of one, is continued.
 *
 * ```
 *   slots-5-904.jsonl.gz  slots-905-1812.jsonl.gz        named by the manifest of the last run
 *   slots-1813-2600.jsonl.gz                             named by chunks.partial: this run goes on after it
 *   slots-2601-2733.jsonl.gz.tmp                         was being written when the last run ended
 * ```
 */
export class SnapshotFolder {
  private constructor(
    private readonly folder: string,
    /** Those that are written, without gaps. */
    readonly chunks: SnapshotChunk[],
    /** The snapshot that the folder has; null if it has none. */
    readonly before: SnapshotManifest | null,
  ) {}

  /** @throws SnapshotError if it cannot be used */
  static async open(folder: string): Promise<SnapshotFolder> {
    try {
      await mkdir(folder, { recursive: true });
      const manifest = await readIfThere(join(folder, MANIFEST));
      const before = manifest && decodeManifest(manifest, folder);
      const snapshot = new SnapshotFolder(folder, before?.chunks ?? [], before);
      await snapshot.continue();
      return snapshot;
    } catch (error) {
      throw toSnapshotError(folder, error);
    }
  }

  /** Writes a chunk after the last one. @param lines of `encodeLine` @throws SnapshotError */
  async addChunk({ from, to }: SlotRange, lines: readonly string[]): Promise<SnapshotChunk> {
    const bytes = await encodeChunk(lines);
    const chunk: SnapshotChunk = {
      name: chunkName({ from, to }),
      from,
      to,
      sha256: sha256Of(bytes),
      bytes: bytes.length,
      textBytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0),
      transactions: lines.length,
    };
    await this.write(chunk.name, bytes);
    await this.attempt(() => appendFile(join(this.folder, PROGRESS), `${JSON.stringify(chunk)}\n`));
    this.chunks.push(chunk);
    return chunk;
  }

  /** Makes the chunks a snapshot. @returns the SHA-256 of the manifest @throws SnapshotError */
  async finish(manifest: Omit<SnapshotManifest, 'chunks'>): Promise<string> {
    const bytes = encodeManifest({ ...manifest, chunks: this.chunks });
    const sha256 = sha256Of(bytes);
    await this.write(manifestNameOf(sha256), bytes);
    await this.write(MANIFEST, bytes);
    await this.attempt(() => rm(join(this.folder, PROGRESS), { force: true }));
    return sha256;
  }

  /** Takes up the chunks that follow the manifest. The last line may be cut off. */
  private async continue(): Promise<void> {
    const progress = (await readIfThere(join(this.folder, PROGRESS)))?.toString() ?? '';
    for (const line of progress.split('\n').slice(0, -1)) {
      const chunk = JSON.parse(line) as SnapshotChunk;
      const last = this.chunks.at(-1);
      if (last && chunk.to <= last.to) continue;
      if (last && chunk.from !== last.to + 1) break;
      this.chunks.push(chunk);
    }
    for (const { name, bytes } of this.chunks) {
      const { size } = await stat(join(this.folder, name));
      if (size !== bytes)
        throw new SnapshotError(`${name} has ${size} bytes instead of ${bytes}: choose another folder`);
    }
  }

  /** The file is on disk before its name is. */
  private async write(name: string, bytes: Buffer): Promise<void> {
    const path = join(this.folder, name);
    const unfinished = `${path}.tmp`;
    try {
      const file = await open(unfinished, 'w');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw toSnapshotError(this.folder, error);
    }
  }

  private async attempt(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      throw toSnapshotError(this.folder, error);
    }
  }
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function toSnapshotError(folder: string, error: unknown): SnapshotError {
  if (error instanceof SnapshotError) return error;
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
  const hint = isFull ? 'make room, and run the same command again: it goes on where it was' : messageOf(error);
  const problem = isFull ? `the disk of ${folder} is full` : `cannot write to ${folder}`;
  return new SnapshotError(`${problem}: ${hint}`, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
