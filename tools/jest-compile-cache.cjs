// Loaded once in each worker of Jest, which compiles every module again for each suite. Remembers what V8 made of the source of a
// module, so that it is not parsed again.

const vm = require('node:vm');

const { compileFunction } = vm;

/** @type {Map<string, { code: string, cachedData: Buffer | undefined }>} */
const compiled = new Map();

/** @type {typeof compileFunction} */
function compileOnce(code, params, options) {
  const filename = options?.filename ?? '';
  const known = compiled.get(filename);
  // The suites of a worker share its context.
  const inThisContext = { ...options, parsingContext: undefined };
  if (known?.code === code) return compileFunction(code, params, { ...inThisContext, cachedData: known.cachedData });
  const result = compileFunction(code, params, { ...inThisContext, produceCachedData: true });
  compiled.set(filename, { code, cachedData: result.cachedData });
  return result;
}

Object.assign(vm, { compileFunction: compileOnce });
