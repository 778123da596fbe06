import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { Cursor } from './paging';
import { nullable, SignatureText, SlotNumber } from './scalars';

export const SignatureItem = closedObject(
  {
    signature: SignatureText,
    slot: SlotNumber,
    blockTime: Type.Integer({ description: 'Unix time in seconds.' }),
  },
  { title: 'SignatureItem' },
);

export const SignatureList = closedObject(
  { items: Type.Array(SignatureItem), cursor: nullable(Cursor) },
  { title: 'SignatureList', description: 'Ordered by slot, then by signature bytes, both descending.' },
);

export type SignatureItem = Static<typeof SignatureItem>;
