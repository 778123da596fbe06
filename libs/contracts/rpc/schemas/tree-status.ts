import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { describedU64, HashText, nullable, PubkeyText, SmallInteger, U64 } from './scalars';

const QueueStatus = closedObject(
  {
    queueType: Type.Integer({ enum: [3, 4, 5], description: '3: input queue, 4: address queue, 5: output queue.' }),
    queueSize: U64,
  },
  { title: 'QueueStatus' },
);

export const TreeStatus = closedObject(
  {
    tree: PubkeyText,
    queue: PubkeyText,
    type: Type.Integer({
      description: '1 = StateV1, 2 = AddressV1, 3 = StateV2, 4 = AddressV2',
      minimum: 1,
      maximum: 4,
    }),
    height: SmallInteger,
    capacity: describedU64('The number of leaves that fit.'),
    nextIndex: describedU64('The leaf index of the next leaf.'),
    root: HashText,
    rootSeq: U64,
    slot: Type.Integer({ description: 'The slot as of which the tree is.', format: 'uint64', minimum: 0 }),
    served: Type.Boolean({ description: 'Whether proofs of the tree are given.' }),
    reason: nullable(Type.String({ description: 'Why proofs are refused.' })),
    queues: Type.Array(QueueStatus, {
      description: 'The queues of a V2 tree, with the entries that wait for a batch.',
    }),
  },
  { title: 'TreeStatus' },
);

export type TreeStatus = Static<typeof TreeStatus>;
