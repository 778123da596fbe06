import {
  CHUNK_TEXT_BYTES,
  countTransactions,
  encodeLine,
  type LoggedTransaction,
  SnapshotError,
  type SnapshotFolder,
} from '@fresnel/adapters/chain/history';
import {
  findIndexIdentity,
  type Reader,
  readTransactionLog,
  type TransactionOfLog,
} from '@fresnel/adapters/store-read';
import { type HistoryStore, type ProjectionStore } from '@fresnel/adapters/store-write';
import { PastTrees, type PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { type BlockRef, isSparse, MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { readPlaceProblem } from '@fresnel/domain/state';
import { type TreeHead, UNDO_DEPTH } from '@fresnel/domain/trees';
import { VERSION } from '@fresnel/platform';

/** What is read of the index, and where the snapshot is written. */
export interface SnapshotParts {
  reader: Reader;
  tables: Pick<ProjectionStore, 'findIndexedBlocks'>;
  history: Pick<HistoryStore, 'findCoverage' | 'listFindings'>;
  trees: Pick<PostgresTreeReads, 'listHeads' | 'listPartitions' | 'readUndo'>;
  folder: SnapshotFolder;
  onProgress: (progress: SnapshotProgress) => void;
}

export interface SnapshotProgress {
  /** Written so far. */
  slot: Slot;
  /** The last slot. */
  to: Slot;
  transactions: number;
}

/** A snapshot that was made. */
export interface MadeSnapshot {
  from: Slot;
  to: Slot;
  chunks: number;
  /** Of them, those that the folder did not have. */
  newChunks: number;
  transactions: number;
  /** Of all chunks. */
  bytes: number;
  trees: number;
  manifestSha256: string;
}

/** Rows of one query: 10 MB or so. */
const PAGE = 2_000;

/**
 * Writes the transactions of an index up to a final block, and the state of its trees there. The index goes on meanwhile: below a
 * final block nothing changes. In memory there is a page of rows and a chunk.
 *
 * @throws SnapshotError; StoreUnavailableError; the signal's reason
 */
export async function makeSnapshot(parts: SnapshotParts, signal: AbortSignal): Promise<MadeSnapshot> {
  const { folder } = parts;
  const { genesisHash, firstSlot: from, indexedSlot } = await findIndexIdentity(parts.reader);
  if (genesisHash === null || from === null || indexedSlot === null) {
    throw new SnapshotError('nothing is indexed yet');
  }
  await requireComplete(parts);
  const { anchor, trees } = await findEnd(parts, indexedSlot);
  requireSameIndex(folder, { genesisHash, from, to: anchor.slot });
  const known = folder.chunks.length;
  await writeChunks(parts, { from, to: anchor.slot }, signal);
  const manifest = {
    ...{ madeBy: VERSION, genesisHash, from, anchor },
    trees: trees.map(({ info, seq, nextIndex, root }) => ({ tree: info.tree, seq, nextIndex, root })),
  };
  const manifestSha256 = await folder.finish(manifest);
  const { chunks } = folder;
  return {
    ...{ from, to: anchor.slot, manifestSha256, chunks: chunks.length, newChunks: chunks.length - known },
    transactions: countTransactions({ chunks }),
    bytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
    trees: trees.length,
  };
}

/** Others would load what is missing or wrong. */
async function requireComplete({ history, trees }: SnapshotParts): Promise<void> {
  const coverage = await history.findCoverage();
  const finding = (await history.listFindings()).at(0);
  if ((coverage && !coverage.isChecked) || finding) {
    const problem = finding ? 'its history lacks something' : 'its history was not compared with the chain yet';
    throw new SnapshotError(`no snapshot is made of this index, because ${problem}: run "fresnel backfill" first`);
  }
  const isQuarantined = ({ quarantineReason }: TreeHead) => quarantineReason !== null;
  const quarantined = (await trees.listHeads()).find(isQuarantined);
  if (!quarantined) return;
  const tree = toBase58(quarantined.info.tree);
  throw new SnapshotError(
    `no snapshot is made of this index, because tree ${tree} is quarantined: see "fresnel trees"`,
  );
}

/** The newest final block at which the state of the trees is known, if possible with all roots. */
async function findEnd({ tables, trees }: SnapshotParts, indexedSlot: Slot) {
  const past = await PastTrees.read(trees);
  const partitions = [...(await trees.listPartitions()).values()];
  const applied = Math.min(indexedSlot, ...partitions.map(({ slot }) => slot ?? -1));
  const limit = MAX_FORK_DEPTH + UNDO_DEPTH;
  const newest = await tables.findIndexedBlocks({ from: 0, to: applied, limit });
  const final = newest.toReversed().slice(MAX_FORK_DEPTH);
  let end: { anchor: BlockRef; trees: NonNullable<ReturnType<PastTrees['at']>> } | null = null;
  for (const { slot, blockhash } of final) {
    const found = isSparse({ blockhash }) ? null : past.at(slot);
    if (!found) continue;
    const hasRoots = found.every(({ root }) => root !== null);
    if (!end || hasRoots) end = { anchor: { slot, blockhash }, trees: found };
    if (hasRoots) break;
  }
  if (end) return end;
  throw new SnapshotError(
    `the index has no final block at which all its trees are known: ${MAX_FORK_DEPTH} blocks of the node have to follow it, and tables and trees must not be far apart. Try again later`,
  );
}

function requireSameIndex(
  { before, chunks }: SnapshotFolder,
  index: { genesisHash: string; from: Slot; to: Slot },
): void {
  const first = chunks.at(0);
  const isSame = (!before || before.genesisHash === index.genesisHash) && (!first || first.from === index.from);
  if (!isSame) throw new SnapshotError('the folder has a snapshot of another index: choose another folder');
  const last = chunks.at(-1);
  if (last && last.to > index.to) {
    throw new SnapshotError(`the folder has slots up to ${last.to}, and this index is final up to ${index.to}`);
  }
}

async function writeChunks(parts: SnapshotParts, range: { from: Slot; to: Slot }, signal: AbortSignal): Promise<void> {
  const { reader, folder, onProgress } = parts;
  const { to } = range;
  const last = folder.chunks.at(-1);
  let from = last ? toSlot(last.to + 1) : range.from;
  let next: Slot | null = from > to ? null : from;
  let transactions = countTransactions(folder);
  let lines: string[] = [];
  let size = 0;
  /** Of the last line. */
  let slot: Slot | null = null;
  while (next !== null) {
    signal.throwIfAborted();
    const page = await readTransactionLog(reader, { from: next, to }, PAGE);
    for (const transaction of page.transactions) {
      if (slot !== null && transaction.slot !== slot && size >= CHUNK_TEXT_BYTES) {
        await folder.addChunk({ from, to: slot }, lines);
        from = toSlot(slot + 1);
        transactions += lines.length;
        onProgress({ slot, to, transactions });
        [lines, size] = [[], 0];
      }
      slot = transaction.slot;
      const line = encodeLine(toLogged(transaction));
      lines.push(line);
      size += line.length;
    }
    next = page.next;
  }
  if (from <= to) await folder.addChunk({ from, to }, lines);
}

function toLogged({ slot, index, json, reasons }: TransactionOfLog): LoggedTransaction {
  // Whether a signature is in two slots, whoever reads the snapshot sees again.
  return { slot, index, json, problem: reasons.find((reason) => readPlaceProblem(reason) === 'order-unknown') ?? null };
}
