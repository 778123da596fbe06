import { type Static, Type } from 'typebox';
import { closedObject } from './closed-object';
import { HashText, nullable, SlotNumber, SmallInteger } from './scalars';

const DeadLetterCount = closedObject({ reason: Type.String(), count: SmallInteger }, { title: 'DeadLetterCount' });

const ConsumerStatus = closedObject(
  {
    group: Type.String(),
    topic: Type.String(),
    partition: SmallInteger,
    slot: nullable(Type.Integer({ description: 'The newest slot that was applied.', format: 'uint64', minimum: 0 })),
    lagSlots: nullable(SmallInteger),
  },
  { title: 'ConsumerStatus', description: 'How far a consumer of Kafka has applied a partition.' },
);

export const IndexerStatus = closedObject(
  {
    slot: Type.Integer({ description: 'The indexed slot.', format: 'uint64', minimum: 0 }),
    blockhash: nullable(HashText),
    blockTime: nullable(Type.Integer({ description: 'Unix time of the block, in seconds.' })),
    chainSlot: nullable(
      Type.Integer({
        description: 'The newest slot that the source of blocks reported.',
        format: 'uint64',
        minimum: 0,
      }),
    ),
    lagSlots: nullable(SmallInteger),
    lagSeconds: nullable(Type.Integer({ description: 'The age of the block.', minimum: 0 })),
    firstSlot: Type.Integer({ description: 'The first slot of the index.', format: 'uint64', minimum: 0 }),
    attestedTo: nullable(SlotNumber),
    version: Type.String(),
    trees: closedObject({ served: SmallInteger, refused: SmallInteger }),
    deadLetters: Type.Optional(Type.Array(DeadLetterCount)),
    consumers: Type.Optional(Type.Array(ConsumerStatus)),
  },
  { title: 'IndexerStatus' },
);

export type IndexerStatus = Static<typeof IndexerStatus>;
