/** Import rules that dependency-cruiser checks as part of `npm run lint`; imports of types count. */

/** The layers of a feature. A folder imports only from folders of later layers; the README of the gateway lists them too. */
const LAYERS = {
  gateway: [
    ['nest'],
    ['http', 'rpc', 'docs', 'explorer', 'metrics', 'websocket'],
    ['methods', 'push'],
    ['present', 'health'],
    ['responses'],
    ['limits'],
  ],
  // Following the chain knows nothing of the repairs.
  ingest: [['nest'], ['repair'], ['follow'], ['read']],
};

/** A rule for each folder: no imports from its own layer's other folders and from earlier layers. */
const layerRules = Object.entries(LAYERS).flatMap(([feature, layers]) =>
  layers.flatMap((layer, index) =>
    layer.map((folder) => {
      const forbidden = layers
        .slice(0, index + 1)
        .flat()
        .filter((other) => other !== folder);
      const root = `^libs/features/${feature}/`;
      return {
        name: `${feature}-${folder}`,
        severity: 'error',
        from: { path: `${root}${folder}/` },
        to: { path: `${root}((${forbidden.join('|') || 'index'})/|index\\.ts$)` },
      };
    }),
  ),
);

/** Their tests fill tables, their code only reads them. A tag of Nx would count both. */
const onlyRead = {
  name: 'gateway-and-prover-only-read',
  severity: 'error',
  from: { path: '^libs/features/(gateway|prover)/', pathNot: '\\.(int-spec|spec|bench)\\.ts$' },
  to: { path: '^libs/adapters/store-write/' },
};

/** Messages, gRPC and JSON-RPC change by themselves, and a browser that calls methods loads neither of the others. */
const apartContracts = {
  name: 'contracts-do-not-import-each-other',
  severity: 'error',
  from: { path: '^libs/contracts/([^/]+)/' },
  to: { path: '^libs/contracts/', pathNot: '^libs/contracts/$1/' },
};

export default {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    onlyRead,
    apartContracts,
    ...layerRules,
  ],
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
