import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { CompressionInfoV2 } from './compression-info';
import { HashText, nullable, SignatureText, SlotNumber, SmallInteger } from './scalars';

const place = {
  slot: SlotNumber,
  index: Type.Integer({ minimum: 0, description: 'The index of the transaction in the block.' }),
  signature: SignatureText,
  blockTime: Type.Integer({ description: 'Unix time in seconds.' }),
};

/** What a transaction message has besides its type. Accounts are as in getTransactionWithCompressionInfoV2. */
export const PushedTransaction = closedObject({ ...place, ...CompressionInfoV2.properties });
/** The same without accounts. */
export const PushedSignature = closedObject(place);
const TransactionMembers = closedObject({
  ...place,
  ...Type.Partial(CompressionInfoV2).properties,
});

const Blockhash = nullable(HashText);

export const PushNotification = Type.Union(
  [
    closedObject(
      { type: Type.Literal('transaction'), ...TransactionMembers.properties },
      {
        title: 'PushedTransaction',
        description:
          'A transaction that matches, with the accounts of getTransactionWithCompressionInfoV2, in the order of slot and index. ' +
          'With `details: "signatures"` it has no accounts.',
      },
    ),
    closedObject(
      { type: Type.Literal('slot'), slot: SlotNumber, blockhash: Blockhash, cursor: Type.String({ maxLength: 100 }) },
      { title: 'PushedSlot', description: 'All that matches up to this slot has been sent.' },
    ),
    closedObject(
      { type: Type.Literal('rollback'), slot: SlotNumber, blockhash: Blockhash },
      {
        title: 'PushedRollback',
        description: 'Forget everything of later slots. It follows again as far as it is on the chain.',
      },
    ),
    closedObject(
      { type: Type.Literal('amended'), ...TransactionMembers.properties },
      {
        title: 'PushedAmendment',
        description:
          'A transaction of a slot that was complete before: it had been a dead letter, its block was missing, or it spends an ' +
          'account of such a transaction. Add it, or replace the one at its slot and index.',
      },
    ),
  ],
  { title: 'PushNotification' },
);

export const SubscriptionId = SmallInteger;
export type PushedTransaction = Static<typeof PushedTransaction>;
