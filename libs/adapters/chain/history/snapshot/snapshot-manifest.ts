import { createHash } from 'node:crypto';
import { type BlockRef } from '@fresnel/domain/chain';
import {
  asFields,
  asList,
  asInteger,
  asSlot,
  asText,
  FresnelError,
  type Hash,
  MalformedTextError,
  MAX_U64,
  messageOf,
  parseHash,
  parsePubkey,
  type Pubkey,
  type Slot,
  toBase58,
} from '@fresnel/domain/primitives';
import { type SlotRange } from '../history-source';
import { MAX_CHUNK_BYTES, MAX_TEXT_BYTES } from './snapshot-sizes';

/** The file of a snapshot that names all others. It is written last: a folder without it is no snapshot. */
export const MANIFEST = 'manifest.json';

const FORMAT = 'fresnel-snapshot';
const VERSION = 1;
const CHUNK_NAME = /^slots-\d+-\d+\.jsonl\.gz$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** What a snapshot contains: the transactions of an index up to a block of the chain, and what its trees were there. */
export interface SnapshotManifest {
  /** The version of Fresnel that wrote it. */
  madeBy: string;
  /** Identifies the chain, in base58. */
  genesisHash: string;
  /** The first slot of the index. */
  from: Slot;
  /** The last block. Its slot ends the last chunk. */
  anchor: BlockRef;
  /** In the order of their slots, without gaps. */
  chunks: SnapshotChunk[];
  /** The trees after the anchor. */
  trees: SnapshotTree[];
}

/** A file with all transactions of a range of slots. */
export interface SnapshotChunk extends SlotRange {
  name: string;
  /** Of the file, in hex. */
  sha256: string;
  /** Of the file. */
  bytes: number;
  /** After decompression. */
  textBytes: number;
  transactions: number;
}

export interface SnapshotTree {
  tree: Pubkey;
  seq: bigint;
  /** Leaf index of the next leaf. */
  nextIndex: number;
  /** Null if the index has not computed it at this slot. */
  root: Hash | null;
}

/** A manifest or a chunk that cannot be used. The message says which, and what to do. */
export class SnapshotError extends FresnelError {
  readonly code = 'snapshot';
  readonly isRetryable = false;
}

export function chunkName({ from, to }: SlotRange): string {
  return `slots-${from}-${to}.jsonl.gz`;
}

/** The name of a copy of the manifest that stays when the snapshot grows. */
export function manifestNameOf(sha256: string): string {
  return `manifest-${sha256}.json`;
}

function isSha256(text: string): boolean {
  return SHA256.test(text);
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function countTransactions({ chunks }: Pick<SnapshotManifest, 'chunks'>): number {
  return chunks.reduce((sum, { transactions }) => sum + transactions, 0);
}

export function encodeManifest({ madeBy, genesisHash, from, anchor, chunks, trees }: SnapshotManifest): Buffer {
  const json = {
    ...{ format: FORMAT, version: VERSION, madeBy, genesisHash, from },
    anchor: { slot: anchor.slot, blockhash: toBase58(anchor.blockhash) },
    transactions: countTransactions({ chunks }),
    trees: trees.map(({ tree, seq, nextIndex, root }) => ({
      tree: toBase58(tree),
      seq: String(seq),
      nextIndex,
      root: root && toBase58(root),
    })),
    chunks,
  };
  return Buffer.from(`${JSON.stringify(json, null, 1)}\n`);
}

/**
 * @param name of the source, for errors
 * @throws SnapshotError
 */
export function decodeManifest(bytes: Buffer, name: string): SnapshotManifest {
  const fields = parseObject(bytes, name);
  if (fields.format !== FORMAT) throw new SnapshotError(`${name} is no snapshot: its ${MANIFEST} is of something else`);
  if (fields.version !== VERSION) {
    throw new SnapshotError(
      `${name} has a snapshot of version ${toWord(fields.version)}, and this Fresnel reads version ${VERSION}: use the Fresnel that made it (${toWord(fields.madeBy)}), or make it again`,
    );
  }
  try {
    return readManifest(fields);
  } catch (error) {
    if (!(error instanceof FresnelError)) throw error;
    throw new SnapshotError(`the ${MANIFEST} of ${name} is damaged: ${error.message}`, { cause: error });
  }
}

function parseObject(bytes: Buffer, name: string): Record<string, unknown> {
  const text = bytes.toString();
  try {
    return asFields(JSON.parse(text));
  } catch (error) {
    const found = /^\s*</.test(text) ? 'a page of HTML or XML' : messageOf(error);
    throw new SnapshotError(`${name} is no snapshot: its ${MANIFEST} is no JSON (${found})`, { cause: error });
  }
}

function readManifest(fields: Record<string, unknown>): SnapshotManifest {
  const anchor = asFields(fields.anchor);
  const manifest: SnapshotManifest = {
    madeBy: asText(fields.madeBy),
    genesisHash: asText(fields.genesisHash),
    from: asSlot(fields.from),
    anchor: { slot: asSlot(anchor.slot), blockhash: parseHash(asText(anchor.blockhash)) },
    chunks: asList(fields.chunks).map(readChunk),
    trees: asList(fields.trees).map(readTree),
  };
  let next: number = manifest.from;
  for (const { name, from, to } of manifest.chunks) {
    if (from !== next || to < from) throw new MalformedTextError(`${name} does not begin at slot ${next}`);
    next = to + 1;
  }
  if (next !== manifest.anchor.slot + 1)
    throw new MalformedTextError(`its chunks end before slot ${manifest.anchor.slot}`);
  return manifest;
}

function readChunk(value: unknown): SnapshotChunk {
  const fields = asFields(value);
  const chunk = {
    name: asText(fields.name),
    from: asSlot(fields.from),
    to: asSlot(fields.to),
    sha256: asText(fields.sha256),
    bytes: asSize(fields.bytes),
    textBytes: asSize(fields.textBytes),
    transactions: asSize(fields.transactions),
  };
  if (!CHUNK_NAME.test(chunk.name)) throw new MalformedTextError(`${JSON.stringify(chunk.name)} is no name of a chunk`);
  if (!isSha256(chunk.sha256)) throw new MalformedTextError(`${chunk.name} has no SHA-256`);
  if (!(chunk.bytes <= MAX_CHUNK_BYTES && chunk.textBytes <= MAX_TEXT_BYTES)) {
    throw new MalformedTextError(`${chunk.name} is larger than any chunk`);
  }
  return chunk;
}

function asSize(value: unknown): number {
  const size = asInteger(value);
  if (size < 0) throw new MalformedTextError('expected a size');
  return size;
}

function asU64(value: unknown): bigint {
  const digits = asText(value);
  const number = /^\d{1,20}$/.test(digits) ? BigInt(digits) : null;
  if (number === null || number > MAX_U64) throw new MalformedTextError('expected the digits of a u64');
  return number;
}

/** For errors. */
function toWord(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'unknown';
}

function readTree(value: unknown): SnapshotTree {
  const { tree, seq, nextIndex, root } = asFields(value);
  return {
    tree: parsePubkey(asText(tree)),
    seq: asU64(seq),
    nextIndex: asSize(nextIndex),
    root: root === null ? null : parseHash(asText(root)),
  };
}
