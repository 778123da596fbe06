import {
  findIndexAt,
  type IndexAt,
  lastSlotBefore,
  NothingIndexedError,
  placeOf,
  type Reader,
} from '@fresnel/adapters/store-read';
import { type PushCursor, type SubscriptionStart } from '@fresnel/contracts/rpc';
import { MAX_FORK_DEPTH } from '@fresnel/domain/chain';
import { now, sleep } from '@fresnel/platform/time';
import { CallStateError } from '../responses/call-state.error';
import { MAX_LAG_MS, type Position, type SlotRef, type Step } from './read-step';

const RETRY_MS = 100;
/** No fork is deeper: an older slot of the same chain is the same in every index. */
const FINAL_SLOTS = MAX_FORK_DEPTH + 1;

/** Where a subscription starts: as if a step had led there. */
export interface Start {
  step: Step;
  /** Whether the client is told of the step: that it begins now, or with a rollback. */
  isTold: boolean;
  indexId: Buffer;
}

/**
 * Finds where a subscription starts.
 *
 * @throws CallStateError for a slot that the index does not have; NothingIndexedError; StoreUnavailableError
 */
export async function findStart(reader: Reader, from: SubscriptionStart): Promise<Start> {
  if (from === null) return startOf(await findIndexAt(reader, null), null);
  if (!('indexId' in from)) return startOf(await findIndexAt(reader, from.slot), from);
  // Another gateway, which reads a faster replica, may have given the cursor.
  const expiresAt = now() + MAX_LAG_MS;
  for (;;) {
    const index = await findIndexAt(reader, from.slot);
    if (!isAhead(from, index) || now() >= expiresAt) return startOf(index, from);
    await sleep(RETRY_MS);
  }
}

/** Whether a cursor may name a state that the index will have. */
function isAhead({ indexId, revision, slot }: PushCursor, index: IndexAt): boolean {
  if (!indexId.equals(index.indexId)) return false;
  return revision > index.revision || (revision === index.revision && slot > (index.indexedSlot ?? -1));
}

function startOf(index: IndexAt, from: SubscriptionStart): Start {
  const { indexId, revision, indexedSlot, firstSlot, blockhash } = index;
  if (indexedSlot === null || firstSlot === null) throw new NothingIndexedError();
  if (from === null) {
    const position = { place: placeOf(indexedSlot + 1), revision, amending: null, isResumed: false };
    return { step: toStep(position, null, blockhash), isTold: true, indexId };
  }
  if (!('indexId' in from)) {
    if (from.slot < firstSlot) throw new CallStateError(`The first slot of the index is ${firstSlot}`);
    if (from.slot > indexedSlot) throw new CallStateError(`The indexed slot is ${indexedSlot}`);
    const position = { place: placeOf(from.slot), revision, amending: null, isResumed: false };
    return { step: toStep(position, null), isTold: false, indexId };
  }
  const place = placeOf(from.slot + 1);
  if (isOfBranch(from, index)) {
    const position = { place, revision: from.revision, amending: null, isResumed: true };
    return { step: toStep(position, null), isTold: false, indexId };
  }
  const rollback = sharedSlot(from, index, indexedSlot);
  if (rollback.slot < firstSlot - 1) throw new CallStateError(`The first slot of the index is ${firstSlot}`);
  const position = { place: placeOf(rollback.slot + 1), revision, amending: null, isResumed: false };
  return { step: toStep(position, rollback), isTold: true, indexId };
}

/** Whether the revisions after a cursor tell what has changed since. A database that fails over can lose the last ones. */
function isOfBranch(cursor: PushCursor, index: IndexAt): boolean {
  if (!cursor.indexId.equals(index.indexId) || cursor.revision > index.revision) return false;
  if (cursor.revision < index.revision) return true;
  const isOther = cursor.blockhash && index.blockhash && !cursor.blockhash.equals(index.blockhash);
  return !isOther && cursor.slot <= (index.indexedSlot ?? -1);
}

/** The newest slot that the index of the cursor and this one surely both have. */
function sharedSlot({ slot, blockhash }: PushCursor, index: IndexAt, indexedSlot: number): SlotRef {
  const isShared = index.isAttested || (blockhash !== null && index.blockhash?.equals(blockhash) === true);
  if (isShared && slot <= indexedSlot) return { slot, blockhash: index.blockhash };
  return { slot: Math.min(slot - FINAL_SLOTS, indexedSlot), blockhash: null };
}

function toStep(position: Position, rollback: SlotRef | null, blockhash: SlotRef['blockhash'] = null): Step {
  const complete = rollback ?? { slot: lastSlotBefore(position.place), blockhash };
  return { rollback, transactions: [], isAmendment: false, position, complete, isLast: false };
}
