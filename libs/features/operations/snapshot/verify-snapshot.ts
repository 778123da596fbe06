import { countTransactions, type SnapshotManifest, type SnapshotSource } from '@fresnel/adapters/chain/history';

/** A snapshot of which every chunk has the hash that its manifest names. */
export interface VerifiedSnapshot {
  manifest: SnapshotManifest;
  transactions: number;
  /** Of all chunks. */
  bytes: number;
}

/** Chunks that are read at the same time. */
const CONCURRENCY = 4;

/**
 * Reads all chunks of a snapshot, and checks them.
 *
 * @param onChunk called with the number of those that are checked
 * @throws HistoryRefusedError, HistoryAnswerError if one cannot be read
 */
export async function verifySnapshot(
  source: Pick<SnapshotSource, 'readManifest' | 'readChunk'>,
  onChunk: (checked: number, all: number) => void,
  signal: AbortSignal,
): Promise<VerifiedSnapshot> {
  const manifest = await source.readManifest(signal);
  const { chunks } = manifest;
  let [next, checked] = [0, 0];
  const check = async () => {
    while (next < chunks.length) {
      await source.readChunk(chunks[next++], signal);
      onChunk(++checked, chunks.length);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, check));
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  return { manifest, transactions: countTransactions({ chunks }), bytes };
}
