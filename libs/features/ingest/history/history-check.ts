import { IncompleteTreesError, type TreeSource } from '@fresnel/adapters/chain';
import { type HistoryStore, type ProjectionStore } from '@fresnel/adapters/store-write';
import { type PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { type HistoryFinding } from '@fresnel/domain/chain';
import { type Hash, keyOf, type Pubkey, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import {
  isAddressTree,
  parseNullifierQueue,
  parseOutputQueueEnd,
  type TreeHead,
  type TreeInfo,
} from '@fresnel/domain/trees';
import { type Logger } from '@fresnel/platform';
import { sleep } from '@fresnel/platform/time';
import { findTreeFaults, type ObservedTree } from './find-tree-faults';
import { findLosses } from './lost-transactions';

/** An account of the node; `data` is null if it does not exist. */
export interface ReadAccount {
  data: Buffer | null;
  /** The slot of the answer. */
  slot: Slot;
}

/** What the comparison of history with the chain requires. */
export interface HistoryCheckParts {
  treeSource: TreeSource;
  /** Trees of the configuration. They are compared instead, if the node does not offer a list. */
  configured: readonly TreeInfo[];
  readAccount(account: Pubkey, minContextSlot: Slot, signal: AbortSignal): Promise<ReadAccount>;
  trees: Pick<PostgresTreeReads, 'listHeads' | 'listPartitions'>;
  tables: Pick<ProjectionStore, 'findIndexEnd'>;
  history: Pick<HistoryStore, 'findUnspentNullified' | 'findUnspentAmong' | 'findSlotsAround' | 'listDeadLetters'>;
  logger: Logger;
}

/** Accounts of a tree that are unspent here and spent on the chain, since the slot of the oldest one. */
interface UnspentAccounts {
  tree: Pubkey;
  slot: Slot;
}

/** The trees of the index beside those of the chain. */
export interface TreeComparison {
  /** The trees here, read after `observed[…].info` and before `observed[…].account`. */
  heads: TreeHead[];
  observed: ObservedTree[];
  faults: HistoryFinding[];
  /** V1 trees of which accounts wait in the nullifier queue that are unspent here. */
  waiting: UnspentAccounts[];
}

const POLL_MS = 250;
/** How long the trees of the index are looked up again. */
const LOOKUP_RETRY_MS = 60_000;

/** Accounts of the chain, all at or before a slot. */
interface Observation {
  trees: TreeInfo[];
  /** Accounts that wait in the queues of V1 trees: they are spent, and their leaves are not nullified yet. */
  waiting: { tree: Pubkey; hashes: Hash[] }[];
  outputQueueEnds: ReadonlyMap<string, bigint>;
  slot: Slot;
}

/**
 * Compares attested history with the chain. A source may have withheld transactions: most leave a hole in the positions of a tree, and
 * the rest these checks find.
 *
 * ```
 *   observe the accounts of trees and queues ──► wait until the index has their slot ──► compare
 * ```
 *
 * - Every tree that the node lists, or the configuration if the node does not offer that, has reached the observed positions, without
 *   a hole, and has a root that the chain had.
 * - A spend in a V1 tree that creates nothing changes only the nullifier queue. So no account that is unspent here may wait in the queue
 *   of its tree, and no leaf may be nullified whose account is unspent here.
 * - No transaction is a dead letter because its source has lost a part of it, or because its place in history is unknown.
 *
 * It can be asked again at any time: it changes nothing.
 */
export class HistoryCheck {
  constructor(private readonly parts: HistoryCheckParts) {}

  /**
   * @param slots the first and the last slot of the history
   * @returns what is missing; empty if history is complete
   * @throws the signal's reason when it aborts; IncompleteTreesError; retryable errors of the node and the database
   */
  async run(slots: readonly [Slot, Slot], signal: AbortSignal): Promise<HistoryFinding[]> {
    const { heads, observed, faults, waiting } = await this.compareTrees(slots, signal);
    const located = await Promise.all(faults.map((fault) => this.locate(fault, heads, observed)));
    const unspent = [...(await this.parts.history.findUnspentNullified()), ...waiting];
    const found = [...located, ...toFindings(unspent, slots)];
    const letters = await this.parts.history.listDeadLetters(slots);
    const trees = observed.map(({ info }) => info);
    return [...found, ...findLosses(letters, trees, found)];
  }

  /**
   * Compares the trees alone, which reads no table that grows with the chain.
   *
   * @param slots the accounts of the node are read at the second one, or later
   * @throws as `run` does
   */
  async compareTrees(slots: readonly [Slot, Slot], signal: AbortSignal): Promise<TreeComparison> {
    const { treeSource, trees, logger } = this.parts;
    const known = (await trees.listHeads()).map(({ info }) => info.tree);
    const observation = await this.observe(treeSource, known, slots[1], signal);
    const { slot } = observation;
    logger.info({ trees: observation.trees.length, slot }, 'comparing the trees with those of the chain');
    await this.waitUntilIndexed(slot, signal);
    const heads = await trees.listHeads();
    const observed = await this.readRoots(observation, heads, signal);
    const faults = findTreeFaults(observed, heads, slots);
    return { heads, observed, faults, waiting: await this.findUnspentWaiting(observation) };
  }

  /**
   * Narrows the slots where operations of a state tree are missing. In a V1 tree they are after the leaves that it has, and before those
   * that it lacks. In a V2 tree they are after the leaves that batches have appended, unless spends are missing, which name no leaf.
   */
  private async locate(
    finding: HistoryFinding,
    heads: readonly TreeHead[],
    observed: readonly ObservedTree[],
  ): Promise<HistoryFinding> {
    const isOf = ({ info }: { info: TreeInfo }) => info.tree.equals(finding.tree);
    const [head, onChain] = [heads.find(isOf), observed.find(isOf)];
    if (finding.reason !== 'operations-missing' || !head || isAddressTree(head.info)) return finding;
    const spends = [head.seen.inputQueueEnd, onChain?.info.observed.inputQueueEnd ?? 0n];
    if (spends.some((end) => end > head.inputQueueEnd)) return finding;
    const { before, after } = await this.parts.history.findSlotsAround(finding.tree, head.nextIndex);
    const [from, to] = finding.slots;
    const last = head.info.type === 'stateV1' && after !== null && after < to ? after : to;
    return { ...finding, slots: [before ?? from, last] };
  }

  private async observe(
    source: TreeSource,
    known: readonly Pubkey[],
    minSlot: Slot,
    signal: AbortSignal,
  ): Promise<Observation> {
    const trees = await this.findTrees(source, known, minSlot, signal);
    const waiting: Observation['waiting'] = [];
    const outputQueueEnds = new Map<string, bigint>();
    let slot = Math.max(minSlot, ...trees.map(({ observed }) => observed.slot));
    for (const { tree, queue, type } of trees) {
      if (type !== 'stateV1' && type !== 'stateV2') continue;
      const account = await this.parts.readAccount(queue, minSlot, signal);
      slot = Math.max(slot, account.slot);
      if (type === 'stateV1') waiting.push({ tree, hashes: (account.data && parseNullifierQueue(account.data)) ?? [] });
      const end = account.data && parseOutputQueueEnd(account.data);
      if (type === 'stateV2' && end !== null) outputQueueEnds.set(keyOf(tree), end);
    }
    return { trees, waiting, outputQueueEnds, slot: toSlot(slot) };
  }

  /** The trees that the node lists. @throws IncompleteTreesError if there are others */
  private async findTrees(
    source: TreeSource,
    known: readonly Pubkey[],
    minContextSlot: Slot,
    signal: AbortSignal,
  ): Promise<TreeInfo[]> {
    const { configured } = this.parts;
    const listed = await this.listTrees(source, minContextSlot, signal);
    const isListed = new Set(listed?.map(({ tree }) => keyOf(tree)));
    const all = new Map([...known, ...configured.map(({ tree }) => tree)].map((tree) => [keyOf(tree), tree]));
    const accounts = [...all].flatMap(([key, tree]) => (isListed.has(key) ? [] : [tree]));
    const { trees, unread } = await source.findTrees({ accounts, minContextSlot, retryForMs: LOOKUP_RETRY_MS }, signal);
    if (unread.length > 0) {
      const [{ account, reason }] = unread;
      throw new IncompleteTreesError(`tree ${toBase58(account)} cannot be read: ${reason}`, true);
    }
    if (listed && trees.length > 0) {
      throw new IncompleteTreesError(`the node has tree ${toBase58(trees[0].tree)}, and does not list it`, true);
    }
    return [...(listed ?? []), ...trees];
  }

  /** @returns null if the node does not offer a list, and the configuration has one */
  private async listTrees(source: TreeSource, minSlot: Slot, signal: AbortSignal): Promise<TreeInfo[] | null> {
    try {
      return await source.listTrees(minSlot, signal);
    } catch (error) {
      const isOffered = !(error instanceof IncompleteTreesError) || error.isRetryable;
      if (isOffered || this.parts.configured.length === 0) throw error;
      this.parts.logger.warn({}, 'the node does not list trees: those of TREES_FILE are compared with the chain');
      return null;
    }
  }

  /** Waits until tables and trees have a slot. @throws the signal's reason */
  private async waitUntilIndexed(slot: Slot, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { indexed } = await this.parts.tables.findIndexEnd(1);
      const partitions = [...(await this.parts.trees.listPartitions()).values()];
      const reached = Math.min(indexed?.slot ?? -1, ...partitions.map((partition) => partition.slot ?? -1));
      if (reached >= slot) return;
      await sleep(POLL_MS, signal);
    }
  }

  /** Reads the root histories, which go on from the trees here. */
  private async readRoots(
    { trees, outputQueueEnds }: Observation,
    heads: readonly TreeHead[],
    signal: AbortSignal,
  ): Promise<ObservedTree[]> {
    const slots = new Map(heads.map(({ info, changes }) => [keyOf(info.tree), changes.lastSlot]));
    const observed: ObservedTree[] = [];
    for (const info of trees) {
      const key = keyOf(info.tree);
      const { data } = await this.parts.readAccount(info.tree, slots.get(key) ?? info.observed.slot, signal);
      if (data) observed.push({ info, account: data, outputQueueEnd: outputQueueEnds.get(key) ?? null });
    }
    return observed;
  }

  private async findUnspentWaiting({ waiting }: Observation): Promise<UnspentAccounts[]> {
    const unspent: UnspentAccounts[] = [];
    for (const { tree, hashes } of waiting) {
      const slot = hashes.length === 0 ? null : await this.parts.history.findUnspentAmong(hashes);
      if (slot !== null) unspent.push({ tree, slot });
    }
    return unspent;
  }
}

/** One for each tree, from its oldest account on. */
function toFindings(unspent: readonly UnspentAccounts[], [, to]: readonly [Slot, Slot]): HistoryFinding[] {
  const oldest = new Map<string, HistoryFinding>();
  for (const { tree, slot } of unspent) {
    const from = toSlot(Math.min(slot, oldest.get(keyOf(tree))?.slots[0] ?? slot));
    oldest.set(keyOf(tree), { tree, reason: 'spend-missing', sequenceNumbers: null, slots: [from, to] });
  }
  return [...oldest.values()];
}
