import { type SlotChange } from '@fresnel/adapters/store-write';
import { type SlotEventsMessage } from '@fresnel/contracts/messages';
import { type AccountFacts, type SlotEvents } from '@fresnel/domain/state';

export interface SlotFolderOptions {
  foldAccounts: (events: SlotEvents) => Promise<AccountFacts>;
  /** Encodes the JSON of the transactions of a slot. */
  encodeJson: (facts: AccountFacts) => Promise<readonly Buffer[]>;
}

/** What a message changes in the tables; null if it changes no slot. */
type Change = SlotChange | null;

/**
 * Folds the slots of messages and starts to encode their transactions, once for each message: before its batch if there is
 * time. What fails is done again by the next call.
 */
export class SlotFolder {
  private readonly changes = new WeakMap<SlotEventsMessage, Promise<Change>>();

  constructor(private readonly options: SlotFolderOptions) {}

  /** @returns the changes of all messages, in their order */
  async fold(messages: readonly SlotEventsMessage[]): Promise<SlotChange[]> {
    let last: Promise<Change> = Promise.resolve(null);
    // One after the other, so that the first slots are encoded while the others are folded.
    const changes = messages.map((message) => (last = this.changes.get(message) ?? this.start(message, last)));
    return (await Promise.all(changes)).filter((change) => change !== null);
  }

  private start(message: SlotEventsMessage, previous: Promise<Change>): Promise<Change> {
    const folding = previous.then(() => this.toChange(message));
    const encoding = folding.then((change) => (change && 'events' in change ? change.json : []));
    encoding.catch(() => this.changes.delete(message));
    this.changes.set(message, folding);
    return folding;
  }

  private async toChange(message: SlotEventsMessage): Promise<Change> {
    switch (message.kind) {
      case 'slot': {
        const { events } = message;
        const facts = await this.options.foldAccounts(events);
        return { events, facts, json: this.options.encodeJson(facts) };
      }
      case 'slot-reverted':
        return { reverted: { slot: message.slot, blockhash: message.blockhash } };
      case 'tip':
        return null;
    }
  }
}
