import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  countTransactions,
  type SnapshotChunk,
  SnapshotError,
  type SnapshotManifest,
  type SnapshotSource,
} from '@fresnel/adapters/chain/history';
import { type TransactionParser } from '@fresnel/domain/events';
import { asFields, type Hash, type Pubkey, type Signature, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { compareWithHistory } from '@fresnel/domain/trees';

/** What is asked of a node. */
export interface SnapshotNode {
  identify(signal: AbortSignal): Promise<string>;
  findTip(signal: AbortSignal): Promise<Slot>;
  /** Null if it has no such block, or none any more. */
  findBlockhash(slot: Slot, signal: AbortSignal): Promise<Hash | null>;
  readAccount(account: Pubkey, minContextSlot: Slot, signal: AbortSignal): Promise<Buffer | null>;
  /** The `getTransaction` result; `json` is null if there is no such transaction; null if the node cannot say. */
  findTransaction(signature: Signature, signal: AbortSignal): Promise<{ json: string | null } | null>;
  /** The oldest slot of which it has transactions; null if it does not say. */
  findFirstAvailableSlot(signal: AbortSignal): Promise<number | null>;
}

/** How much of a snapshot a node could confirm. */
export interface SnapshotComparison {
  /** Whether the node has the last block. It may have deleted it. */
  isAnchorKnown: boolean;
  trees: number;
  /** Those whose root is in the root history on the chain. Others have moved on too far. */
  equalTrees: number;
  transactions: number;
  /** Random ones that are equal. The node may have deleted others. */
  equalTransactions: number;
}

export interface ComparisonOptions {
  /** Random transactions that are compared. */
  samples: number;
  signal: AbortSignal;
}

/**
 * Compares a snapshot with the chain before anything of it is used: chain, last block, roots of trees, and random transactions. What the
 * node has deleted is counted, and not an error.
 *
 * @throws SnapshotError that names the first difference; HistoryAnswerError, RpcUnavailableError, RpcAnswerError
 */
export async function compareWithChain(
  source: Pick<SnapshotSource, 'readManifest' | 'readChunk'>,
  node: SnapshotNode,
  parser: TransactionParser,
  { samples, signal }: ComparisonOptions,
): Promise<SnapshotComparison> {
  const manifest = await source.readManifest(signal);
  const isAnchorKnown = await compareAnchor(manifest, node, signal);
  const equalTrees = await compareTrees(manifest, node, signal);
  const firstAvailable = samples === 0 ? null : await node.findFirstAvailableSlot(signal);
  let equalTransactions = 0;
  for (const { chunk, places } of choose(manifest, samples)) {
    const transactions = await source.readChunk(chunk, signal);
    for (const place of places) {
      const { slot, signature, json } = transactions[place];
      const onChain = signature && (await node.findTransaction(signature, signal));
      if (!onChain || (onChain.json === null && (firstAvailable === null || slot < firstAvailable))) continue;
      const problem = findDifference(json, slot, onChain.json, parser);
      if (problem !== null) {
        throw new SnapshotError(
          `transaction ${toBase58(signature)} of ${chunk.name} differs from the chain: ${problem}. Use another mirror`,
        );
      }
      equalTransactions++;
    }
  }
  const transactions = Math.min(samples, countTransactions(manifest));
  return { isAnchorKnown, trees: manifest.trees.length, equalTrees, transactions, equalTransactions };
}

async function compareAnchor(
  { genesisHash, anchor }: SnapshotManifest,
  node: SnapshotNode,
  signal: AbortSignal,
): Promise<boolean> {
  const chain = await node.identify(signal);
  if (chain !== genesisHash) {
    throw new SnapshotError(
      `the snapshot is of the chain with genesis ${genesisHash}, and the node of SOLANA_RPC_URL of ${chain}`,
    );
  }
  const tip = await node.findTip(signal);
  if (tip < anchor.slot) {
    throw new SnapshotError(
      `the snapshot ends at slot ${anchor.slot}, and the node is at slot ${tip}: try again later`,
    );
  }
  const blockhash = await node.findBlockhash(anchor.slot, signal);
  if (blockhash?.equals(anchor.blockhash) === false) {
    throw new SnapshotError(
      `the snapshot ends with block ${toBase58(anchor.blockhash)} at slot ${anchor.slot}, where the chain has ${toBase58(blockhash)}. Use another mirror`,
    );
  }
  return blockhash !== null;
}

async function compareTrees(
  { trees, anchor }: SnapshotManifest,
  node: SnapshotNode,
  signal: AbortSignal,
): Promise<number> {
  let equal = 0;
  for (const { tree, seq, root } of trees) {
    const account = root && (await node.readAccount(tree, anchor.slot, signal));
    if (!root || !account) continue;
    const result = compareWithHistory(account, { seq, root });
    if (result === 'different') {
      throw new SnapshotError(
        `the manifest says that tree ${toBase58(tree)} had root ${toBase58(root)} at sequence number ${seq}, and the chain has another one there. Use another mirror`,
      );
    }
    if (result === 'equal') equal++;
  }
  return equal;
}

/** Random transactions, by chunk, each once. */
function choose(manifest: SnapshotManifest, samples: number): { chunk: SnapshotChunk; places: number[] }[] {
  const all = countTransactions(manifest);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(samples, all)) chosen.add(all <= samples ? chosen.size : randomInt(all));
  let start = 0;
  return manifest.chunks.flatMap((chunk) => {
    const first = start;
    start += chunk.transactions;
    const places = [...chosen].filter((each) => each >= first && each < start).map((each) => each - first);
    return places.length === 0 ? [] : [{ chunk, places }];
  });
}

/** @returns null if both have the same slot, bytes and events */
function findDifference(json: string, slot: Slot, onChain: string | null, parser: TransactionParser): string | null {
  if (onChain === null) return 'the node has no such transaction';
  const [ours, theirs] = [json, onChain].map((text) => asFields(JSON.parse(text)));
  if (theirs.slot !== slot) return `it is in slot ${String(theirs.slot)}, and not in ${slot}`;
  if ('transaction' in ours && !isDeepStrictEqual(ours.transaction, theirs.transaction)) return 'it has other bytes';
  const [ourEvents, theirEvents] = [json, onChain].map((text) => parser.parse(text)?.events ?? []);
  return isDeepStrictEqual(ourEvents, theirEvents) ? null : 'it has other events';
}
