import { Type } from 'typebox';
import { ONE_POINT } from '../cost';
import { defineContract } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';

export const liveness = defineContract({
  name: 'liveness',
  summary: 'Null if the gateway answers requests.',
  description: '`GET /liveness` has the same result.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: Type.Null(),
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }],
  example: { params: [], result: null },
});
