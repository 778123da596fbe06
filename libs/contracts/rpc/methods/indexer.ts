import { Type } from 'typebox';
import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';
import { IndexerStatus } from '../schemas/indexer-status';
import { SlotNumber } from '../schemas/scalars';

const WITHOUT_PARAMS = { params: NoParams, isParamsOptional: true, parseParams: readNoParams, cost: ONE_POINT };

export const getIndexerSlot = defineContract({
  ...WITHOUT_PARAMS,
  name: 'getIndexerSlot',
  summary: 'The indexed slot: the newest slot up to which every block is indexed.',
  result: SlotNumber,
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }, NOTHING_INDEXED],
  example: { params: [], result: 40 },
});

export const getIndexerStatus = defineContract({
  ...WITHOUT_PARAMS,
  name: 'getIndexerStatus',
  summary: 'The progress of the index, its lag behind the chain, and the trees whose proofs it gives.',
  description:
    'blockhash and blockTime are those of the indexed slot; they are null if a history source that tells none has attested the slot. attestedTo is the newest slot of such sources. trees are counted: getTreeStatus tells why one is refused. deadLetters and consumers are present if the operator of the gateway publishes them.',
  result: IndexerStatus,
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }, NOTHING_INDEXED],
  example: {
    params: [],
    result: {
      slot: 40,
      blockhash: '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ',
      blockTime: 1_700_000_016,
      chainSlot: 42,
      lagSlots: 2,
      lagSeconds: 1,
      firstSlot: 1,
      attestedTo: null,
      version: '1.0.0',
      trees: { served: 4, refused: 0 },
    },
  },
});

export const getIndexerHealth = defineContract({
  ...WITHOUT_PARAMS,
  name: 'getIndexerHealth',
  summary: '"ok" if the index is up to date, otherwise an error with the reason.',
  result: Type.Enum(['ok'], { type: 'string' }),
  errors: [
    { kind: 'invalidParams', when: 'params are not empty' },
    {
      kind: 'stateError',
      when: 'nothing is indexed yet, the index is too many slots behind the chain tip, or the chain tip is unknown or out of date',
    },
  ],
  example: { params: [], result: 'ok' },
});

export const liveness = defineContract({
  ...WITHOUT_PARAMS,
  name: 'liveness',
  summary: 'Null if the gateway answers requests.',
  description: '`GET /liveness` has the same result.',
  result: Type.Null(),
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }],
  example: { params: [], result: null },
});

export const readiness = defineContract({
  ...WITHOUT_PARAMS,
  name: 'readiness',
  summary: 'Null if the gateway can read the index, otherwise an error.',
  description: '`GET /readiness` has the same result. A lag of the index is reported by `getIndexerHealth`.',
  result: Type.Null(),
  errors: [
    { kind: 'invalidParams', when: 'params are not empty' },
    { kind: 'internalError', when: 'the tables cannot be read' },
  ],
  example: { params: [], result: null },
});
