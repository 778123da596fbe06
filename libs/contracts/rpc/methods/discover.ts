import { Type } from 'typebox';
import { DISCOVER_COST } from '../cost';
import { defineContract } from '../method-contract';
import { NoParams, readNoParams } from '../params/no-params';

export const rpcDiscover = defineContract({
  name: 'rpc.discover',
  summary: 'The OpenRPC document of all methods.',
  description: '`GET /openrpc.json` has the same document.',
  params: NoParams,
  isParamsOptional: true,
  parseParams: readNoParams,
  result: Type.Object(
    {
      openrpc: Type.String({ description: 'The version of OpenRPC.' }),
      info: Type.Object({ title: Type.String(), version: Type.String() }),
      methods: Type.Array(Type.Object({ name: Type.String() })),
      components: Type.Object({}),
    },
    { title: 'OpenRpcDocument', description: 'A document as https://spec.open-rpc.org describes it.' },
  ),
  cost: DISCOVER_COST,
  errors: [{ kind: 'invalidParams', when: 'params are not empty' }],
  example: {
    params: [],
    // Shortened.
    result: { openrpc: '1.3.2', info: { title: 'Fresnel', version: '1.0.0' }, methods: [], components: {} },
  },
});
