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
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }, NOTHING_INDEXED],
  example: { params: [], result: 40 },
});
