// Loads the modules of a suite. Node loads packages, each once in a worker of Jest: most of the time of a short suite was spent on
// loading them again. Our own modules are loaded again for each suite, so that no suite sees the state of another.

const { createRequire } = require('node:module');
const { default: Runtime } = require('jest-runtime');

/** The name of a package, or of a module of Node. */
const PACKAGE = /^(?!\.|\/|@fresnel\/)/;

module.exports = class extends Runtime {
  /**
   * @param {string} from
   * @param {string} [name] none for a file that Jest itself names, such as the suite
   * @param {Parameters<Runtime['requireModule']>[2]} [options]
   * @param {boolean} [isActual]
   */
  requireModule(from, name, options, isActual) {
    return name !== undefined && PACKAGE.test(name)
      ? createRequire(from)(name)
      : super.requireModule(from, name, options, isActual);
  }
};
