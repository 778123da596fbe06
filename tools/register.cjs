// Compiles the workspace's TypeScript on the fly: `node -r ./tools/register.cjs file.ts`.

const { transformFileSync } = require('@swc/core');
const { existsSync } = require('node:fs');
const Module = require('node:module');
const { dirname, resolve } = require('node:path');

const ROOT = dirname(__dirname);

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformFileSync(filename, {
    jsc: { baseUrl: ROOT, paths: { '@fresnel/*': ['./libs/*/index.ts'] } },
    sourceMaps: 'inline',
  });
  // @ts-expect-error: Node's types omit the method that require hooks call
  module._compile(code, filename);
};

// Dynamic imports name the compiled file, as TypeScript requires: `import('./app.module.js')`.
// @ts-expect-error: Node's types omit the method that resolves names
const resolveFilename = Module._resolveFilename;
// @ts-expect-error: see above
Module._resolveFilename = (request, parent, ...rest) => {
  const source = request.replace(/\.js$/, '.ts');
  const isSource =
    /^\.{1,2}\//.test(request) && parent?.filename && existsSync(resolve(dirname(parent.filename), source));
  return resolveFilename(isSource ? source : request, parent, ...rest);
};
