import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { PubkeyText, U64 } from './scalars';

/** Maximum number of trees in one request. */
export const MAX_QUEUE_TREES = 100;

export const QueueInfo = closedObject(
  {
    tree: PubkeyText,
    queue: PubkeyText,
    queueType: Type.Integer({ enum: [3, 4, 5], description: '3: input queue, 4: address queue, 5: output queue.' }),
    queueSize: U64,
  },
  { title: 'QueueInfo', description: 'A queue of a V2 tree.' },
);

export type QueueInfo = Static<typeof QueueInfo>;
