// Lets plain node run the workspace's TypeScript: `node -r ./tools/register.cjs file.ts`.

const { transformFileSync } = require('@swc/core');
const { dirname } = require('node:path');

const ROOT = dirname(__dirname);

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    jsc: { baseUrl: ROOT, paths: { '@fresnel/*': ['./libs/*/index.ts'] } },
    sourceMaps: 'inline',
  });
  // @ts-expect-error: what a require hook must call has no type
  module._compile(code, filename);
};
