// Loaded once in each worker of Jest, which compiles every module again for each suite. Remembers what V8 made of the source of a
// module, so that it is not parsed again.

const vm = require('node:vm');

const { compileFunction } = vm;

/** @type {Map<string, { code: string, params: readonly string[], cachedData: Buffer | undefined }>} */
const compiled = new Map();

/**
 * Compiles a module. One that declares the name of a global itself, as CommonJS allows, does not get that global as an argument.
 *
 * @param {string} code
 * @param {readonly string[]} params
 * @param {import('node:vm').CompileFunctionOptions | undefined} options
 */
function compile(code, params, options) {
  try {
    return { params, result: compileFunction(code, params, { ...options, produceCachedData: true }) };
  } catch (error) {
    const declared = /Identifier '([A-Z]\w*)' has already been declared/.exec(String(error));
    if (!declared || !params.includes(declared[1])) throw error;
    const others = params.map((name) => (name === declared[1] ? `global${name}` : name));
    return compile(code, others, options);
  }
}

/** @type {typeof compileFunction} */
function compileOnce(code, params = [], options) {
  const filename = options?.filename ?? '';
  const known = compiled.get(filename);
  if (known?.code === code) {
    return compileFunction(code, known.params, { ...options, cachedData: known.cachedData });
  }
  const { params: own, result } = compile(code, params, options);
  compiled.set(filename, { code, params: own, cachedData: result.cachedData });
  return result;
}

Object.assign(vm, { compileFunction: compileOnce });
