/** Import rules that dependency-cruiser checks as part of `npm run lint`; imports of types count. */

/** The gateway's layers. A folder imports only from folders of later layers; the README of the library lists them too. */
const GATEWAY = '^libs/features/gateway/';
const GATEWAY_LAYERS = [
  ['nest'],
  ['http', 'rpc', 'docs', 'metrics', 'websocket'],
  ['methods'],
  ['present', 'health'],
  ['responses'],
  ['limits'],
];

/** A rule for each folder: no imports from its own layer's other folders and from earlier layers. */
const gatewayRules = GATEWAY_LAYERS.flatMap((layer, index) =>
  layer.map((folder) => {
    const forbidden = GATEWAY_LAYERS.slice(0, index + 1)
      .flat()
      .filter((other) => other !== folder);
    return {
      name: `gateway-${folder}`,
      severity: 'error',
      from: { path: `${GATEWAY}${folder}/` },
      to: { path: `${GATEWAY}((${forbidden.join('|') || 'index'})/|index\\.ts$)` },
    };
  }),
);

/** Their tests fill tables, their code only reads them. A tag of Nx would count both. */
const onlyRead = {
  name: 'gateway-and-prover-only-read',
  severity: 'error',
  from: { path: '^libs/features/(gateway|prover)/', pathNot: '\\.(int-spec|spec|bench)\\.ts$' },
  to: { path: '^libs/adapters/store-write/' },
};

export default {
  forbidden: [{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } }, onlyRead, ...gatewayRules],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|node_modules)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
