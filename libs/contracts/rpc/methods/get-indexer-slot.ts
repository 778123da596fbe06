import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';
import { SlotNumber } from '../schemas/scalars';

export const getIndexerSlot = defineContract({
  name: 'getIndexerSlot',
  summary: 'The highest slot up to which everything is indexed.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: SlotNumber,
  errors: [{ kind: 'invalidParams', when: 'params holds anything' }, NOTHING_INDEXED],
  example: { params: [], result: 40 },
});
