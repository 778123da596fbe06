import { Type } from 'typebox';
import { defineContract } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';

export const getIndexerHealth = defineContract({
  name: 'getIndexerHealth',
  summary: '"ok" while the index keeps up with the chain, an error that says why not otherwise.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: Type.Enum(['ok'], { type: 'string' }),
  errors: [
    { kind: 'invalidParams', when: 'params holds anything' },
    {
      kind: 'stateRefused',
      when: "nothing is indexed yet, the index is too many slots behind, or the chain's tip was not seen for too long",
    },
  ],
  example: { params: [], result: 'ok' },
});
