import { FresnelError, type Hash, type TreeHasher, ZERO_HASH } from '@fresnel/domain/primitives';
import {
  type TreeHead,
  type AddressTreeInfo,
  type AddressTreeType,
  createTree,
  type ElementKey,
  hashElements,
  highestPositions,
  initialStateOf,
  isAddressTree,
  MAX_ADDRESS,
  NodePages,
  type PageId,
} from '@fresnel/domain/trees';
import { ElementList } from './element-list';

/** Everything of a tree except its undo records. */
export interface RebuiltTree {
  head: TreeHead;
  elements: ElementList;
  pages: ReadonlyMap<PageId, Buffer>;
  /** Queued addresses by position. */
  queue: ReadonlyMap<bigint, Hash>;
}

/** The head of an address tree. */
type AddressTreeHead = TreeHead & { info: AddressTreeInfo };

/** The stored addresses do not form a tree. */
export class TreeNotRebuildableError extends FresnelError {
  readonly code = 'tree-not-rebuildable';
  readonly isRetryable = false;
}

/** Leaves that are hashed at once. */
const LEAVES_PER_STEP = 4_096;

/**
 * Computes an address tree from its addresses. The leaf indexes are the order of the insertions, so the addresses determine
 * elements, nodes and root:
 *
 * ```
 *  leaf index     0   1   2   3            the addresses as they were inserted
 *  address        0   50  20  70
 *  sorted         0 ──► 20 ──► 50 ──► 70   each element links to the next larger one
 * ```
 *
 * The tree is not quarantined, and has one change more than the stored one and no undo record. So every copy of it is
 * recognised as older. Operations that were seen and are not in the tree are missing.
 *
 * @param stored the stored head
 * @param addresses the stored values, in any number of parts
 * @param queue the stored queue
 * @param onProgress called after each step with the number of hashed leaves
 * @throws TreeNotRebuildableError for a state tree, or if addresses are missing, repeated or out of range
 */
export async function rebuildTree(
  stored: TreeHead,
  addresses: AsyncIterable<readonly ElementKey[]>,
  queue: ReadonlyMap<bigint, Hash>,
  hasher: TreeHasher,
  onProgress: (leaves: number) => void,
): Promise<RebuiltTree> {
  const { info } = stored;
  if (!isAddressTree(info)) throw new TreeNotRebuildableError('a state tree has no addresses');
  const head = { ...stored, info };
  const elements = await readElements(head, addresses);
  linkElements(elements, head.info.type);
  const { pages, root } = await hashNodes(head, elements, hasher, onProgress);
  const kept = queueOf(head, queue);
  const queueEnd = head.info.type === 'addressV2' ? BigInt(head.nextIndex - 1 + kept.size) : 0n;
  return { head: released(head, { ...head, seq: seqOf(head), root, queueEnd }), elements, pages, queue: kept };
}

/**
 * The tree in its initial state, to which all its operations have to be applied again.
 *
 * @param head the stored head
 */
export function emptiedTree(head: TreeHead, { hash }: TreeHasher): RebuiltTree {
  const initial = createTree(head.info, hash);
  const elements = new ElementList(initial.elements.length);
  for (const element of initial.elements) elements.put(element);
  const pages = initial.pages.changedPages();
  return { head: released(head, { ...initial.head, untrusted: head.untrusted }), elements, pages, queue: new Map() };
}

/** @param rebuilt has the positions and the root */
function released(stored: TreeHead, rebuilt: TreeHead): TreeHead {
  const { seen, changes } = stored;
  return {
    ...rebuilt,
    seen: highestPositions(highestPositions(seen, stored), rebuilt),
    quarantineReason: null,
    changes: { count: changes.count + 1, lastSlot: changes.lastSlot },
  };
}

/** AddressV1: each address uses two sequence numbers. AddressV2: the sizes of the batches are not stored. */
function seqOf({ info: { type }, seq, nextIndex }: AddressTreeHead): bigint {
  const initial = initialStateOf(type);
  return type === 'addressV1' ? initial.seq + 2n * BigInt(nextIndex - initial.nextIndex) : seq;
}

/** The initial elements, and the stored addresses without links. */
async function readElements(
  { info: { type }, nextIndex }: AddressTreeHead,
  addresses: AsyncIterable<readonly ElementKey[]>,
): Promise<ElementList> {
  const initial = initialStateOf(type);
  const elements = new ElementList(nextIndex);
  for (const element of initial.elements) elements.put(element);
  let missing = nextIndex - initial.elements.length;
  for await (const part of addresses) {
    for (const { index, value } of part) {
      if (index < initial.nextIndex || index >= nextIndex) continue;
      elements.put({ index, value, nextIndex: 0, nextValue: ZERO_HASH });
      missing--;
    }
  }
  if (missing === 0) return elements;
  throw new TreeNotRebuildableError(`${missing} of ${nextIndex} addresses are not stored`);
}

function linkElements(elements: ElementList, type: AddressTreeType): void {
  const initial = initialStateOf(type).elements;
  const sorted = Uint32Array.from({ length: elements.size }, (_, index) => index).sort((a, b) =>
    elements.compare(a, b),
  );
  const last = sorted[sorted.length - 1];
  if (last >= initial.length && elements.at(last).value.compare(MAX_ADDRESS) >= 0) {
    throw new TreeNotRebuildableError(`the address at leaf ${last} is out of range`);
  }
  for (const [at, index] of sorted.entries()) {
    const { value } = elements.at(index);
    const next = at + 1 < sorted.length ? elements.at(sorted[at + 1]) : null;
    if (next?.value.equals(value)) {
      throw new TreeNotRebuildableError(`leaves ${index} and ${next.index} have the same address`);
    }
    const end = initial[initial.length - 1];
    const link = next ? { nextIndex: next.index, nextValue: next.value } : end;
    elements.put({ index, value, nextIndex: link.nextIndex, nextValue: link.nextValue });
  }
}

async function hashNodes(
  { info: { type, height } }: AddressTreeHead,
  elements: ElementList,
  hasher: TreeHasher,
  onProgress: (leaves: number) => void,
): Promise<{ pages: Map<PageId, Buffer>; root: Hash }> {
  const pages = new Map<PageId, Buffer>();
  let root = ZERO_HASH;
  for (let from = 0; from < elements.size; from += LEAVES_PER_STEP) {
    const length = Math.min(LEAVES_PER_STEP, elements.size - from);
    const step = Array.from({ length }, (_, at) => elements.at(from + at));
    const hashes = await hashElements(type, step, hasher.hashBatch);
    const nodes = new NodePages((id) => pages.get(id), hasher.hash);
    const leaves = new Map(step.map(({ index }, at) => [index, hashes[at]]));
    root = await nodes.writeLeavesInBatches(leaves, height, hasher);
    for (const [id, page] of nodes.changedPages()) pages.set(id, page);
    onProgress(from + length);
  }
  return { pages, root };
}

/** The queued addresses up to the first gap. */
function queueOf({ info: { type }, nextIndex }: AddressTreeHead, queue: ReadonlyMap<bigint, Hash>): Map<bigint, Hash> {
  const kept = new Map<bigint, Hash>();
  if (type !== 'addressV2') return kept;
  for (let position = BigInt(nextIndex - 1); ; position++) {
    const address = queue.get(position);
    if (!address) return kept;
    kept.set(position, address);
  }
}
