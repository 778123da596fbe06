import { Type } from 'typebox';
import { ONE_POINT } from '../cost';
import { defineContract } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';

export const readiness = defineContract({
  name: 'readiness',
  summary: 'Null if the gateway can read the index, otherwise an error.',
  description: '`GET /readiness` has the same result. A lag of the index is reported by `getIndexerHealth`.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: Type.Null(),
  cost: ONE_POINT,
  errors: [
    { kind: 'invalidParams', when: 'params are not empty' },
    { kind: 'internalError', when: 'the tables cannot be read' },
  ],
  example: { params: [], result: null },
});
