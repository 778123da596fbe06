import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';
import { SlotNumber } from '../schemas/scalars';

export const getIndexerSlot = defineContract({
  name: 'getIndexerSlot',
  summary: 'The indexed slot: the newest slot up to which every block is indexed.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: SlotNumber,
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }, NOTHING_INDEXED],
  example: { params: [], result: 40 },
});
