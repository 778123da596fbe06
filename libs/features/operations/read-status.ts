import { type PartitionRange } from '@fresnel/adapters/bus';
import { findIndexAt, findIndexerStatus, type Reader } from '@fresnel/adapters/store-read';
import { type StoredPosition } from '@fresnel/adapters/store-schema';
import { type DeadLetterStore, type HistoryCoverage, type HistoryStore } from '@fresnel/adapters/store-write';
import { type PostgresTreeReads } from '@fresnel/adapters/tree-store';
import { partitionOfTree } from '@fresnel/contracts/messages';
import { messageOf, type Slot, toBase58 } from '@fresnel/domain/primitives';
import { type TreeHead, type TreeType, unservableReasonOf } from '@fresnel/domain/trees';
import { whenAborted } from '@fresnel/platform';
import { timeout } from '@fresnel/platform/time';
import { type FindingJson, toFindingJson } from './describe-history';

/** The state of an index. */
export interface Status {
  indexedSlot: Slot | null;
  chainTip: {
    slot: Slot;
    /** When ingest saw it; null: the node reported it now. */
    seenAt: Date | null;
  } | null;
  /** Slots by which the index is behind the chain tip. */
  lagSlots: number | null;
  deadLetters: number;
  /** Grows with each revert and each late addition. Clients that have missed some are sent them when they continue. */
  revision: number;
  consumers: ConsumerStatus[];
  trees: TreeStatus[];
  /** Blocks of another branch than the trees follow. While a partition has some, its proofs are refused. */
  refusedBlocks: RefusedBlock[];
  /** The part that comes from a history source; null: nothing. */
  history: HistoryCoverage | null;
  /** What history lacks: proofs of these trees are refused. */
  findings: FindingJson[];
  /** Why parts are missing: Kafka or the node did not answer. */
  problems: string[];
}

/** How far a consumer group has applied a partition. */
export interface ConsumerStatus {
  group: string;
  topic: string;
  partition: number;
  /** Offset of the next record; null before the first batch. */
  nextOffset: number | null;
  /** Offset after the last record of the partition; null if Kafka was not asked. */
  endOffset: number | null;
  lagRecords: number | null;
}

export interface RefusedBlock {
  partition: number;
  slot: Slot;
  blockhash: string;
}

/** A tree as the journal has it. */
export interface TreeStatus {
  tree: string;
  type: TreeType;
  seq: number;
  /** Leaf index of the next leaf. */
  nextLeafIndex: number;
  /** The slot up to which its partition is applied. */
  slot: Slot | null;
  lastChangedSlot: Slot;
  /** `served`, or why proofs are refused. */
  state:
    | 'served'
    | 'quarantined'
    | 'operations-missing'
    | 'history-not-indexed'
    | 'branch-undecided'
    | 'history-incomplete'
    | 'no-slot';
  /** Why it is not served. */
  reason: string | null;
}

/** Where the status is read from. */
export interface StatusSources {
  reader: Reader;
  letters: Pick<DeadLetterStore, 'count'>;
  trees: Pick<PostgresTreeReads, 'listHeads' | 'listPartitions'>;
  history: Pick<HistoryStore, 'findCoverage' | 'listFindings'>;
  listPositions: () => Promise<StoredPosition[]>;
  /** Reads the topics of Kafka; null without Kafka. */
  readRanges: ((topics: readonly string[]) => Promise<ReadonlyMap<string, ReadonlyMap<number, PartitionRange>>>) | null;
  /** Asks the node for its newest slot; null: the slot that ingest saw last is used. */
  findTip: ((signal: AbortSignal) => Promise<Slot>) | null;
  acceptTreeGaps: boolean;
}

/** How long Kafka and the node may take to answer. */
const TIMEOUT_MS = 15_000;

/** @throws the errors of the database. If Kafka or the node does not answer, its part is missing. */
export async function readStatus(sources: StatusSources): Promise<Status> {
  const problems: string[] = [];
  const { indexedSlot, chainTip, chainTipSeenAt } = await findIndexerStatus(sources.reader);
  const refusedBlocks = await readRefusedBlocks(sources);
  const nodeTip = sources.findTip && (await attempt('the node', sources.findTip, problems));
  const seen = chainTip === null ? null : { slot: chainTip, seenAt: chainTipSeenAt };
  const tip = nodeTip === null ? seen : { slot: nodeTip, seenAt: null };
  const history = await sources.history.findCoverage();
  const findings = (await sources.history.listFindings()).map(toFindingJson);
  return {
    indexedSlot,
    chainTip: tip,
    lagSlots: indexedSlot === null || !tip ? null : Math.max(tip.slot - indexedSlot, 0),
    deadLetters: await sources.letters.count(),
    revision: (await findIndexAt(sources.reader, null)).revision,
    consumers: await readConsumers(sources, problems),
    trees: (await readTrees(sources, refusedBlocks)).map((tree) => closeTree(tree, history, findings)),
    refusedBlocks,
    history,
    findings,
    problems,
  };
}

async function readConsumers(
  { listPositions, readRanges }: StatusSources,
  problems: string[],
): Promise<ConsumerStatus[]> {
  const positions = await listPositions();
  const topics = [...new Set(positions.map(({ topic }) => topic))];
  const ranges = readRanges && topics.length > 0 ? await attempt('Kafka', () => readRanges(topics), problems) : null;
  return positions.map(({ consumerGroup: group, topic, partition, nextOffset }) => {
    const range = ranges?.get(topic)?.get(partition) ?? null;
    const lag = range && range.end - (nextOffset ?? range.start);
    return {
      group,
      topic,
      partition,
      nextOffset: nextOffset === null ? null : Number(nextOffset),
      endOffset: range && Number(range.end),
      lagRecords: lag === null ? null : Math.max(Number(lag), 0),
    };
  });
}

/** @returns null if it fails or takes too long; then the reason is added to the problems */
async function attempt<Result>(
  source: string,
  ask: (signal: AbortSignal) => Promise<Result>,
  problems: string[],
): Promise<Result | null> {
  const expiry = timeout(TIMEOUT_MS);
  try {
    const expired = whenAborted(expiry).then((): never => {
      throw new Error(`no answer within ${TIMEOUT_MS / 1000} s`);
    });
    return await Promise.race([ask(expiry), expired]);
  } catch (error) {
    problems.push(`${source}: ${messageOf(error)}`);
    return null;
  }
}

async function readRefusedBlocks({ trees }: StatusSources): Promise<RefusedBlock[]> {
  const partitions = await trees.listPartitions();
  return [...partitions].flatMap(([partition, { blocks }]) =>
    blocks
      .filter(({ state }) => state === 'refused')
      .map(({ slot, blockhash }) => ({ partition, slot, blockhash: toBase58(blockhash) })),
  );
}

async function readTrees(
  { trees, acceptTreeGaps }: StatusSources,
  refused: readonly RefusedBlock[],
): Promise<TreeStatus[]> {
  const partitions = await trees.listPartitions();
  const undecided = new Set(refused.map(({ partition }) => partition));
  const heads = await trees.listHeads();
  return heads
    .map((head) => {
      const partition = partitionOfTree(head.info.tree, partitions.size);
      const reason = undecided.has(partition) ? BRANCH_UNDECIDED : null;
      return toTreeStatus(head, partitions.get(partition)?.slot ?? null, reason, acceptTreeGaps);
    })
    .sort((one, other) => one.tree.localeCompare(other.tree));
}

/** A tree of which history lacks something, or may lack something, is not served. */
function closeTree(tree: TreeStatus, history: HistoryCoverage | null, findings: readonly FindingJson[]): TreeStatus {
  const finding = findings.find((each) => each.tree === tree.tree);
  const isUnknown = history !== null && !history.isChecked;
  if (tree.state !== 'served' || (!finding && !isUnknown)) return tree;
  const problem = history?.problem ?? null;
  const unknown = problem === null ? NOT_COMPARED : `${NOT_COMPARED} ${problem}`;
  const reason = finding ? `History lacks something of this tree: ${finding.reason}.` : unknown;
  return { ...tree, state: 'history-incomplete', reason };
}

const NOT_COMPARED = 'Its history was not compared with the chain yet.';
const NO_SLOT = { code: 'no-slot', message: 'No slot of its partition is applied yet.' } as const;
const BRANCH_UNDECIDED = {
  code: 'branch-undecided',
  message: 'Blocks of another branch were published, and no revert has decided yet.',
} as const;

/** @param ofPartition why no tree of its partition is served */
function toTreeStatus(
  head: TreeHead,
  slot: Slot | null,
  ofPartition: typeof BRANCH_UNDECIDED | null,
  acceptTreeGaps: boolean,
): TreeStatus {
  const { info, seq, nextIndex, changes, quarantineReason } = head;
  const reason =
    slot === null && quarantineReason === null
      ? NO_SLOT
      : (ofPartition ?? unservableReasonOf(head, slot ?? changes.lastSlot, acceptTreeGaps));
  return {
    tree: toBase58(info.tree),
    type: info.type,
    seq: Number(seq),
    nextLeafIndex: nextIndex,
    slot,
    lastChangedSlot: changes.lastSlot,
    state: reason?.code ?? 'served',
    reason: quarantineReason ?? reason?.message ?? null,
  };
}
