import { Type } from 'typebox';
import { ONE_POINT } from '../cost';
import { defineContract } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';

export const getIndexerHealth = defineContract({
  name: 'getIndexerHealth',
  summary: '"ok" if the index is up to date, otherwise an error with the reason.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: Type.Enum(['ok'], { type: 'string' }),
  cost: ONE_POINT,
  errors: [
    { kind: 'invalidParams', when: 'params are not empty' },
    {
      kind: 'stateError',
      when: 'nothing is indexed yet, the index is too many slots behind the chain tip, or the chain tip is unknown or out of date',
    },
  ],
  example: { params: [], result: 'ok' },
});
