// The environment of suites: the globals of the worker itself, so that suites share the packages that Node has loaded. What a suite
// adds to the globals or replaces is undone when it ends.
//
// On Node.js 20 each AsyncLocalStorage that was used slows down every promise from then on. jest-circus stores which test runs in one.
// Tests of a suite run one after another, so a variable does the same. Those of a suite are disabled when it ends.

const asyncHooks = require('node:async_hooks');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');
const { ModuleMocker } = require('jest-mock');
const { context, propagation, trace } = require('@opentelemetry/api');
require('./jest-compile-cache.cjs');

const { AsyncLocalStorage } = asyncHooks;

/** The global in which `expect` stores what a suite adds to it. It cannot be deleted. */
const MATCHERS = Symbol.for('$$jest-matchers-object');

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

/** @type {Set<import('node:async_hooks').AsyncLocalStorage<unknown>>} */
const storagesOfSuite = new Set();

/** In later versions of Node it is a getter. @param {unknown} value */
function replaceStorage(value) {
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
}

/** @extends {AsyncLocalStorage<unknown>} */
class StorageOfSuite extends AsyncLocalStorage {
  constructor() {
    super();
    storagesOfSuite.add(this);
  }
}

module.exports = class extends TestEnvironment {
  #globals = Object.getOwnPropertyDescriptors(globalThis);
  #env = { ...process.env };
  /** Jest replaces it. */
  #exit = process.exit;

  /**
   * @param {import('@jest/environment').JestEnvironmentConfig} config
   * @param {import('@jest/environment').EnvironmentContext} context
   */
  constructor(config, context) {
    super(config, context);
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async setup() {
    await super.setup();
    // jest-circus is loaded next, and then reports that it is set up.
    replaceStorage(SequentialStorage);
  }

  async teardown() {
    await super.teardown();
    for (const key of Reflect.ownKeys(globalThis)) if (!(key in this.#globals)) Reflect.deleteProperty(globalThis, key);
    Object.defineProperties(globalThis, this.#globals);
    Reflect.get(globalThis, MATCHERS)?.customEqualityTesters.splice(0);
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    process.exit = this.#exit;
    for (const part of [trace, context, propagation]) part.disable();
    replaceStorage(AsyncLocalStorage);
    for (const storage of storagesOfSuite) storage.disable();
    storagesOfSuite.clear();
  }

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent({ name }) {
    if (name === 'setup') replaceStorage(StorageOfSuite);
  }
};
