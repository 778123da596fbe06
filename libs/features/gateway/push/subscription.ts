import { type BranchTransaction, type OwnerKeys } from '@fresnel/adapters/store-read';
import { FILTER_KINDS, type SubscribeParams, type SubscriptionFilter } from '@fresnel/contracts/rpc';
import { now } from '@fresnel/platform/time';
import { type SlotRef } from './read-step';
import { type PushMessage, type StepMessages } from './step-messages';

/** While nothing matches, a subscription has at most one slot message in this time. */
const SLOT_PAUSE_MS = 1_000;

/** Sends what one subscription receives of each step. */
export class Subscription {
  readonly filter: SubscriptionFilter;
  /** Null: pages of all transactions have to be read. */
  readonly keys: OwnerKeys | null;
  /** That of the last slot message. */
  cursor = '';
  /** What was received before: steps of the hub may begin earlier. */
  private place = 0;
  /** The last slot of which a transaction was sent without a slot message after it. */
  private open: SlotRef | null = null;
  /** Whether a slot message is due also if nothing matches. */
  private owesSlot = true;
  private slotSent = -1;
  private slotSentAt = -Infinity;
  private latest: StepMessages | null = null;

  constructor(
    readonly id: number,
    { filter, hasAccounts }: Pick<SubscribeParams, 'filter' | 'hasAccounts'>,
    private readonly send: (message: PushMessage, frame: Buffer) => void,
  ) {
    this.filter = filter;
    this.hasAccounts = hasAccounts;
    this.keys = keysOf(filter);
  }

  private readonly hasAccounts: boolean;

  /** Sends a step. @param matching those of its transactions that match */
  receive(messages: StepMessages, matching: readonly BranchTransaction[]): void {
    const { step } = messages;
    this.latest = messages;
    if (messages.rollback) {
      this.emit(messages.rollback);
      this.place = 0;
      this.open = null;
      this.owesSlot = true;
      this.slotSent = -1;
    }
    for (const transaction of matching) this.sendTransaction(messages, transaction);
    if (step.isAmendment && matching.length > 0) this.owesSlot = true;
    if (step.position.place < this.place) return;
    this.place = step.position.place;
    if (step.position.amending === null && this.isSlotDue(step.complete)) this.sendSlot(messages, step.complete);
  }

  /** Sends the slot up to which all was sent, if that was put off and the pause is over. */
  remind(): void {
    if (now() - this.slotSentAt >= SLOT_PAUSE_MS) this.finish();
  }

  /** Sends the slot up to which all was sent, if that was put off. */
  finish(): void {
    const { latest } = this;
    if (!latest || latest.step.position.amending || latest.step.position.place < this.place) return;
    const { complete } = latest.step;
    if (complete.slot > this.slotSent) this.sendSlot(latest, complete);
  }

  private sendTransaction(messages: StepMessages, transaction: BranchTransaction): void {
    if (!messages.step.isAmendment) {
      if (transaction.place < this.place) return;
      if (this.open && transaction.slot > this.open.slot) this.sendSlot(messages, this.open);
      this.open = { slot: transaction.slot, blockhash: transaction.blockhash };
    }
    this.emit(messages.transaction(transaction, this.hasAccounts));
  }

  private isSlotDue({ slot }: SlotRef): boolean {
    if (this.owesSlot || (this.open && this.open.slot <= slot)) return true;
    return slot > this.slotSent && now() - this.slotSentAt >= SLOT_PAUSE_MS;
  }

  private sendSlot(messages: StepMessages, ref: SlotRef): void {
    const { message, cursor, slot } = messages.slot(ref);
    this.emit(message);
    this.cursor = cursor;
    this.slotSent = slot;
    this.slotSentAt = now();
    this.owesSlot = false;
    this.open = null;
  }

  private emit(message: PushMessage): void {
    this.send(message, message.frameOf(this.id));
  }
}

/** The owners by which a filter finds its transactions; null if it has other values. */
function keysOf(filter: SubscriptionFilter): OwnerKeys | null {
  if (filter === 'all') return null;
  const hasOthers = FILTER_KINDS.some((kind) => kind !== 'owners' && kind !== 'tokenOwners' && filter[kind].length > 0);
  return hasOthers
    ? null
    : { owners: filter.owners as OwnerKeys['owners'], tokenOwners: filter.tokenOwners as OwnerKeys['owners'] };
}
