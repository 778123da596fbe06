// Compiles the workspace's TypeScript on the fly: `node -r ./tools/register.cjs file.ts`.

const { transformFileSync } = require('@swc/core');
const { dirname } = require('node:path');

const ROOT = dirname(__dirname);

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    jsc: { baseUrl: ROOT, paths: { '@fresnel/*': ['./libs/*/index.ts'] } },
    sourceMaps: 'inline',
  });
  // @ts-expect-error: Node's types omit the method that require hooks call
  module._compile(code, filename);
};
