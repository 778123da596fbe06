// The environment of suites. jest-circus stores which test runs in an AsyncLocalStorage. On Node.js 20 that slows down every
// promise of a suite. Tests of a suite run one after another, so a variable does the same.

const asyncHooks = require('node:async_hooks');
const { TestEnvironment } = require('jest-environment-node');
require('./jest-compile-cache.cjs');

const { AsyncLocalStorage } = asyncHooks;

/** The part of AsyncLocalStorage that jest-circus uses, for functions that do not overlap. */
class SequentialStorage {
  /** @type {unknown} */
  #store;

  getStore() {
    return this.#store;
  }

  /**
   * @template T
   * @param {unknown} store
   * @param {() => Promise<T>} callback
   */
  async run(store, callback) {
    const outer = this.#store;
    this.#store = store;
    try {
      return await callback();
    } finally {
      this.#store = outer;
    }
  }
}

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    // jest-circus is loaded next, and then reports that it is set up.
    Object.assign(asyncHooks, { AsyncLocalStorage: SequentialStorage });
  }

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent({ name }) {
    if (name === 'setup') Object.assign(asyncHooks, { AsyncLocalStorage });
  }
};
