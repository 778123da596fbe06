import {
  type BranchPage,
  type BranchTransaction,
  findAmendedPage,
  findBranchPage,
  findChanges,
  lastSlotBefore,
  type OwnerKeys,
  placeOf,
  type Reader,
} from '@fresnel/adapters/store-read';
import { type BlockRef } from '@fresnel/domain/chain';
import { FresnelError, type Hash } from '@fresnel/domain/primitives';

/*
 * A reader of the indexed branch goes from position to position. Each step is one statement, so one snapshot, which also has the
 * revision of the index:
 *
 *   revision as before    the next transactions                         place ──→ place
 *   later revision        what was reverted is taken back,              place ←── place
 *                         then what was amended before the place is sent, page by page
 *   earlier revision      the answer of a replica that lags, or of a database that has failed over and lost commits
 *   another index         it was built anew
 *
 * So an advance of the index, a revert or an amendment between two steps, or while a step is being sent, is seen by the next one.
 */

/** How far the indexed branch has been read. */
export interface Position {
  /** All before this place was read, on the branch of the revision. See `placeOf`. */
  readonly place: number;
  readonly revision: number;
  /** Amendments between two revisions are being read: those from a place on are left. */
  readonly amending: { readonly from: number; readonly revision: number } | null;
  /** A client that continues may have received more than its cursor says: what has changed there has to be taken back as well. */
  readonly isResumed: boolean;
}

/** A slot and its hash; null: the index does not know it. */
export type SlotRef = Omit<BlockRef, 'slot' | 'blockhash'> & { slot: number; blockhash: Hash | null };

/** What was read. First the rollback applies, then the transactions. */
export interface Step {
  rollback: SlotRef | null;
  transactions: readonly BranchTransaction[];
  /** Whether the transactions belong to slots that were complete. */
  isAmendment: boolean;
  position: Position;
  /** The newest slot before the position. */
  complete: SlotRef;
  /** Whether nothing more was there to read. */
  isLast: boolean;
}

/** How long the answers may be older than what was read: then commits are lost, and revisions would be given a second time. */
export const MAX_LAG_MS = 5_000;

/** The database has another index now. Clients have to continue from their cursors. */
export class IndexReplacedError extends FresnelError {
  readonly code = 'index-replaced';
  readonly isRetryable = false;

  constructor() {
    super('the index was built anew');
  }
}

interface StepOptions {
  indexId: Buffer;
  limit: number;
  /** Null: all transactions. */
  keys: OwnerKeys | null;
}

/**
 * Reads on from a position.
 *
 * @returns null if the answer is older than the position
 * @throws IndexReplacedError, StoreUnavailableError
 */
export async function readStep(
  reader: Reader,
  position: Position,
  { indexId, limit, keys }: StepOptions,
): Promise<Step | null> {
  if (position.amending) return readAmended(reader, position, position.amending, limit);
  const page = await findBranchPage(reader, { from: position.place, limit, keys });
  if (!page.indexId.equals(indexId)) throw new IndexReplacedError();
  if (page.revision > position.revision) return readChanges(reader, position);
  if (page.revision < position.revision) return null;
  return toStep(page, { ...position, place: page.next, isResumed: false });
}

function toStep(page: BranchPage, position: Position): Step {
  const { transactions, isLast, indexedSlot } = page;
  const slot = lastSlotBefore(position.place);
  const last = transactions.at(-1);
  const blockhash = indexedSlot === slot ? page.blockhash : last?.slot === slot ? last.blockhash : null;
  return { rollback: null, transactions, isAmendment: false, position, complete: { slot, blockhash }, isLast };
}

async function readChanges(reader: Reader, position: Position): Promise<Step | null> {
  const changes = await findChanges(reader, position.revision, lastSlotBefore(position.place));
  if (changes.revision <= position.revision) return null;
  const { slot, blockhash, revertedTo, lastAmended } = changes;
  const complete = lastSlotBefore(position.place);
  // Of later slots a client may have a part.
  const hasMore = position.isResumed || position.place > placeOf(complete + 1);
  const isRolledBack =
    (revertedTo !== null && (hasMore || revertedTo <= complete)) ||
    (hasMore && (lastAmended ?? -1) >= placeOf(complete + 1));
  const place = isRolledBack ? placeOf(slot + 1) : position.place;
  const next: Position =
    lastAmended === null
      ? { place, revision: changes.revision, amending: null, isResumed: false }
      : { place, revision: position.revision, amending: { from: 0, revision: changes.revision }, isResumed: false };
  const reached = { slot: lastSlotBefore(place), blockhash };
  return { ...nothing(next), rollback: isRolledBack ? reached : null, complete: reached };
}

async function readAmended(
  reader: Reader,
  position: Position,
  { from, revision }: NonNullable<Position['amending']>,
  limit: number,
): Promise<Step | null> {
  const { place: before, revision: after } = position;
  const page = await findAmendedPage(reader, { after, from, before, limit });
  if (page.revision < revision) return null;
  const next: Position = page.isLast
    ? { ...position, revision, amending: null }
    : { ...position, amending: { from: page.next, revision } };
  return { ...nothing(next), transactions: page.transactions, isAmendment: true };
}

function nothing(position: Position): Step {
  const complete = { slot: lastSlotBefore(position.place), blockhash: null };
  return { rollback: null, transactions: [], isAmendment: false, position, complete, isLast: false };
}
