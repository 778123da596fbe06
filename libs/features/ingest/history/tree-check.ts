import { LinkedAbort } from '@fresnel/adapters/chain';
import { FresnelError, keyOf, messageOf, type Pubkey, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { parseOutputQueueEnd, parseTreeAccount, type TreeHead } from '@fresnel/domain/trees';
import { after, sleep } from '@fresnel/platform/time';
import { type ObservedTree } from './find-tree-faults';
import { type HistoryCheck, type HistoryCheckParts, type TreeComparison } from './history-check';

/** What an index or the chain says about a tree. Numbers are decimal text. */
export interface TreeStatement {
  slot: Slot;
  seq: string;
  nextIndex: string;
  root: string | null;
  /** StateV2: of the output queue, AddressV2: of the address queue; 0 for V1 trees. */
  queueEnd: string;
  /** StateV2: of the input queue. */
  inputQueueEnd: string;
}

export interface ComparedTree {
  tree: Pubkey;
  result: 'equal' | 'differs' | 'not-checked';
  /** What differs, or why it could not be compared. */
  reason: string | null;
  /** Null: there is no such tree. */
  index: TreeStatement | null;
  node: TreeStatement | null;
}

export interface TreeCheckParts {
  check: Pick<HistoryCheck, 'compareTrees'>;
  trees: HistoryCheckParts['trees'];
  readAccount: HistoryCheckParts['readAccount'];
}

export interface TreeCheckOptions {
  /** How often trees are compared until they were unchanged meanwhile. */
  attempts: number;
  pauseMs: number;
  /** How long the index may need to reach the slot of the node. */
  waitMs: number;
}

/**
 * Compares all trees exactly: root, next index and ends of queues. The node's accounts move on, so each tree is read twice from the node,
 * and once from the index in between.
 *
 * ```
 *   node   account ─────────────────── account      unchanged: the tree of the index must be equal
 *   index            tree (at that slot)             changed: again, later
 * ```
 *
 * The root is exact in any case: the account has the roots of the last sequence numbers.
 */
export class TreeCheck {
  constructor(
    private readonly parts: TreeCheckParts,
    private readonly options: TreeCheckOptions,
  ) {}

  /** A tree of which the node gives no answer is not checked. @throws the signal's reason; errors of the database */
  async run(signal: AbortSignal): Promise<ComparedTree[]> {
    const { attempts, pauseMs } = this.options;
    const compared = new Map<string, ComparedTree>();
    for (let attempt = 1; attempt <= attempts; attempt++) {
      if (attempt > 1) await sleep(pauseMs, signal);
      const open = [...compared.values()].filter(({ result }) => result === 'not-checked');
      if (attempt > 1 && open.length === 0) break;
      for (const tree of await this.compareOnce(signal)) {
        const before = compared.get(keyOf(tree.tree));
        if (!before || before.result === 'not-checked') compared.set(keyOf(tree.tree), tree);
      }
    }
    return [...compared.values()];
  }

  private async compareOnce(signal: AbortSignal): Promise<ComparedTree[]> {
    const partitions = [...(await this.parts.trees.listPartitions()).values()];
    const heads = await this.parts.trees.listHeads();
    const slot = toSlot(Math.max(0, ...partitions.map((partition) => partition.slot ?? 0)));
    const limited = new LinkedAbort(signal);
    const { waitMs } = this.options;
    const timer = after(waitMs, () => {
      limited.abort(new Error(`index and node had no slot in common within ${waitMs / 1000} s`));
    });
    try {
      const comparison = await this.parts.check.compareTrees([toSlot(0), slot], limited.signal);
      const observed = await Promise.all(
        comparison.observed.map((tree) => this.judge(tree, comparison, limited.signal)),
      );
      return [...observed, ...unobserved(comparison)];
    } catch (error) {
      signal.throwIfAborted();
      const isTooLate = limited.signal.aborted;
      if (!isTooLate && !(error instanceof FresnelError && error.isRetryable)) throw error;
      return heads.map((head) => ({
        ...{ tree: head.info.tree, result: 'not-checked', reason: messageOf(error) },
        ...{ index: sayHead(head), node: null },
      }));
    } finally {
      timer.cancel();
      limited.abort();
    }
  }

  private async judge(observed: ObservedTree, comparison: TreeComparison, signal: AbortSignal): Promise<ComparedTree> {
    const { info, account, outputQueueEnd } = observed;
    const isOf = ({ tree }: { tree: Pubkey }) => tree.equals(info.tree);
    const head = comparison.heads.find((each) => isOf(each.info)) ?? null;
    const last = parseTreeAccount(info.tree, account, info.observed.slot) ?? info;
    const lastQueueEnd =
      outputQueueEnd === null ? null : await this.readQueueEnd(info.queue, last.observed.slot, signal);
    const [first, node] = [sayNode(info, outputQueueEnd), sayNode(last, lastQueueEnd)];
    const index = head && sayHead(head);
    const compared = { tree: info.tree, index, node };
    const fault = comparison.faults.find(isOf);
    if (fault) return { ...compared, result: 'differs', reason: fault.reason };
    if (comparison.waiting.some(isOf)) return { ...compared, result: 'differs', reason: 'spend-missing' };
    if (!index) return { ...compared, result: 'equal', reason: null };
    if (BigInt(node.seq) < BigInt(index.seq))
      return { ...compared, result: 'not-checked', reason: 'the node is behind' };
    if (!isSame(first, node)) return { ...compared, result: 'not-checked', reason: 'the tree changed meanwhile' };
    const name = POSITIONS.find((position) => index[position] !== node[position]);
    return name
      ? { ...compared, result: 'differs', reason: `${name}-differs` }
      : { ...compared, result: 'equal', reason: null };
  }

  private async readQueueEnd(queue: Pubkey, slot: Slot, signal: AbortSignal): Promise<bigint | null> {
    const { data } = await this.parts.readAccount(queue, slot, signal);
    return data && parseOutputQueueEnd(data);
  }
}

const POSITIONS = ['seq', 'nextIndex', 'queueEnd', 'inputQueueEnd'] as const;

function isSame(one: TreeStatement, other: TreeStatement): boolean {
  return POSITIONS.every((position) => one[position] === other[position]);
}

/** Trees of the index that the node does not have. */
function unobserved({ heads, observed }: TreeComparison): ComparedTree[] {
  const known = new Set(observed.map(({ info }) => keyOf(info.tree)));
  return heads
    .filter(({ info }) => !known.has(keyOf(info.tree)))
    .map((head) => {
      const reason = 'the node has no account of this tree';
      return { tree: head.info.tree, result: 'not-checked', reason, index: sayHead(head), node: null };
    });
}

function sayHead({ info, changes, seq, nextIndex, root, queueEnd, inputQueueEnd }: TreeHead): TreeStatement {
  return {
    slot: changes.lastSlot,
    seq: String(seq),
    nextIndex: String(nextIndex),
    root: toBase58(root),
    queueEnd: String(info.type === 'stateV1' || info.type === 'addressV1' ? 0 : queueEnd),
    inputQueueEnd: String(inputQueueEnd),
  };
}

function sayNode({ observed }: ObservedTree['info'], outputQueueEnd: bigint | null): TreeStatement {
  const { slot, seq, nextIndex, root, queueEnd, inputQueueEnd } = observed;
  return {
    slot,
    seq: String(seq),
    nextIndex: String(nextIndex),
    root: root && toBase58(root),
    queueEnd: String(outputQueueEnd ?? queueEnd),
    inputQueueEnd: String(inputQueueEnd),
  };
}
