import { type Hash, type Hasher } from '@fresnel/domain/primitives';
import {
  type IndexedElement,
  NodePages,
  type PageId,
  pagesOnPaths,
  type QueuedNullifier,
  queueStartOf,
  type TreeHead,
} from '@fresnel/domain/trees';
import { yieldAfter } from '@fresnel/platform';
import { TreeMovedError, TreeStoreDamagedError } from './tree-store.errors';
import {
  type QueuedElements,
  type QueuedElementsRequest,
  type QueuePart,
  type QueueSelection,
  type TreeAtSlot,
  type TreeReads,
} from './tree-store';

/** A tree whose reads fail once it has changed more than the ends of its queues. */
export interface QueueReads {
  at: TreeAtSlot;
  reads: TreeReads;
}

type ReadEntries<Entry> = (from: bigint, to: bigint, limit: number) => Promise<Map<bigint, Entry>>;

const MAX_ATTEMPTS = 5;
/** Small enough that neither a server nor the event loop is busy with one of them for long; 500 pages are half a megabyte. */
const ENTRIES_PER_READ = 1_000;
const PAGES_PER_READ = 500;
const LOWS_PER_READ = 500;
/** Longest turn of the event loop, in a store that answers at once. */
const MAX_TURN_MS = 1;

/**
 * Reads entries of queues and nodes in many short reads, all of one state of the tree.
 *
 * ```
 *   open   entries   low elements   pages … pages       of the state of the head that was read first
 *   ──►─────────────────────────────────────────────►──
 *              ▲ queued: entries behind those that are read      ▲ a batch or a revert: read again
 * ```
 *
 * Between two batches of a V2 tree only the ends of its queues change, and entries after the end that the head has are not read.
 *
 * @param open opens the tree; null for an unknown tree and one without a slot
 * @returns null as `open`, and for a tree without a requested queue
 * @throws TreeMovedError after several attempts, TreeStoreDamagedError
 */
export async function readQueuedElements(
  open: () => Promise<QueueReads | null>,
  request: QueuedElementsRequest,
  hasher: Hasher,
): Promise<QueuedElements | null> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const tree = await open();
    if (!tree || !hasQueues(tree.at.head, request)) return null;
    try {
      const found = await new QueueSnapshot(tree.reads, tree.at.head, hasher).read(request);
      requireRoot(found.nodes, tree.at.head, hasher);
      return { ...tree.at, ...found };
    } catch (error) {
      if (!(error instanceof TreeMovedError)) throw error;
    }
  }
  throw new TreeMovedError('batches of the tree were written while its queues were read');
}

function hasQueues({ info }: TreeHead, { outputs, inputs, addresses }: QueuedElementsRequest): boolean {
  if (info.type === 'stateV2') return addresses === null;
  return info.type === 'addressV2' && outputs === null && inputs === null;
}

/** Reads the parts of one state of a tree. */
class QueueSnapshot {
  private readonly pages = new Map<PageId, Buffer>();

  constructor(
    private readonly reads: TreeReads,
    private readonly head: TreeHead,
    private readonly hasher: Hasher,
  ) {}

  async read({ outputs, inputs, addresses }: QueuedElementsRequest): Promise<Omit<QueuedElements, keyof TreeAtSlot>> {
    const { reads, head } = this;
    const readQueue: ReadEntries<Hash> = (...range) => reads.readQueue(...range);
    const readNullifiers: ReadEntries<QueuedNullifier> = (...range) => reads.readNullifiers(...range);
    const found = {
      outputs: await readPart(readQueue, queueStartOf(head), head.queueEnd, outputs),
      inputs: await readPart(readNullifiers, head.inputQueueStart, head.inputQueueEnd, inputs),
      addresses: await readPart(readQueue, queueStartOf(head), head.queueEnd, addresses),
    };
    const lows = await this.findLows([...found.addresses.entries.values()]);
    await this.readPaths([
      ...Array.from(found.outputs.entries.keys(), Number),
      ...Array.from(found.inputs.entries.values(), ({ leafIndex }) => leafIndex),
      ...lows.flatMap((low) => (low ? [low.index] : [])),
      Math.max(head.nextIndex, 1) - 1,
    ]);
    return { ...found, lows, nodes: new NodePages((id) => this.pages.get(id), this.hasher) };
  }

  private async findLows(addresses: readonly Hash[]): Promise<(IndexedElement | undefined)[]> {
    const lows: (IndexedElement | undefined)[] = [];
    for (const part of partsOf(addresses, LOWS_PER_READ)) {
      lows.push(...(await this.reads.findLowElements(part)));
      await yieldAfter(MAX_TURN_MS);
    }
    return lows;
  }

  private async readPaths(leafIndices: readonly number[]): Promise<void> {
    const { height } = this.head.info;
    for (const ids of partsOf(pagesOnPaths(leafIndices, height), PAGES_PER_READ)) {
      for (const [id, page] of await this.reads.readPages(ids)) this.pages.set(id, page);
      await yieldAfter(MAX_TURN_MS);
    }
  }
}

/** Reads entries between the start and the end of a queue. @param selection null: none */
async function readPart<Entry>(
  read: ReadEntries<Entry>,
  start: bigint,
  end: bigint,
  selection: QueueSelection | null,
): Promise<QueuePart<Entry>> {
  const entries = new Map<bigint, Entry>();
  if (!selection) return { first: null, entries };
  const { from, limit, multipleOf } = selection;
  let next = from !== null && from > start ? from : start;
  while (entries.size < limit && next < end) {
    const count = Math.min(ENTRIES_PER_READ, limit - entries.size);
    const found = await read(next, end, count);
    for (const [position, entry] of found) {
      entries.set(position, entry);
      next = position + 1n;
    }
    if (found.size < count) break;
    await yieldAfter(MAX_TURN_MS);
  }
  const first = entries.keys().next();
  const kept = entries.size - (entries.size % multipleOf);
  for (const position of [...entries.keys()].slice(kept)) entries.delete(position);
  return { first: first.done ? null : first.value, entries };
}

/** A store that has lost the pages of a tree returns empty nodes. @throws TreeStoreDamagedError */
function requireRoot(nodes: NodePages, { info, root }: TreeHead, hasher: Hasher): void {
  const [left, right] = [0, 1].map((index) => nodes.node({ level: info.height - 1, index }));
  if (!hasher([left, right]).equals(root)) throw new TreeStoreDamagedError('the store has lost nodes of a tree');
}

function* partsOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[], void> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
