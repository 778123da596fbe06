// The build copies this to dist/apps/<name>/main.js. It loads the bundle beside it, app.js, with the bytecode that V8 compiled
// at an earlier start: compiling takes longer than everything else that is loaded.

const { closeSync, openSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { basename, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const BUNDLE = join(__dirname, 'app.js');

/**
 * By how much the heap of old objects of an app may grow until the next collection, in percent. By default a small heap may grow to
 * several times the memory that is in use.
 *
 * @type {Partial<Record<string, number>>}
 */
const HEAP_GROWTH_PERCENT = {
  // It keeps about 30 MB; a request leaves garbage. This takes a third less memory for a few percent more of a processor.
  gateway: 60,
  // Blocks of a few megabytes are garbage soon. This takes a tenth less memory, and no measurable time.
  standalone: 200,
};
/** The functions of a start have run by then. */
const START_MS = 5_000;

const growth = HEAP_GROWTH_PERCENT[basename(__dirname)];
// Before anything is compiled: V8 rejects bytecode that was compiled with other flags.
if (growth !== undefined) setFlagsFromString(`--heap-growing-percent=${growth}`);
// Node maps stack traces to sources only in modules that it loads itself.
if (process.sourceMapsEnabled) require('./app.js');
else runWithCachedCode();

function runWithCachedCode() {
  const { mtimeMs, size } = statSync(BUNDLE);
  const cache = join(__dirname, `app.${process.version}.${mtimeMs}.${size}.bytecode`);
  const cachedData = read(cache);
  // V8 rejects bytecode of another version or with other flags, and compiles.
  const script = new Script(wrap(readFileSync(BUNDLE)), { filename: BUNDLE, cachedData });
  const isSaved = cachedData !== undefined && !script.cachedDataRejected;
  // V8 drops the bytecode of functions that ran only once, after some collections: within seconds if an app has much to do.
  if (!isSaved) setFlagsFromString('--no-flush-bytecode');
  script.runInThisContext().call({}, {}, createRequire(BUNDLE), module, BUNDLE, __dirname);
  if (!isSaved) writeOnce(cache, () => script.createCachedData());
}

/**
 * The source of a module in ASCII as a function, like `Module.wrap`: that would keep the text in memory twice.
 *
 * @param {Buffer} source
 */
function wrap(source) {
  const start = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
  return Buffer.concat([start, source, Buffer.from('\n})')]).toString('latin1');
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Writes when the start is over, or the process: V8 compiles a function when it is first called.
 *
 * @param {string} file
 * @param {() => Buffer} createBytes
 */
function writeOnce(file, createBytes) {
  const save = () => {
    clearTimeout(timer);
    process.off('exit', save);
    setFlagsFromString('--flush-bytecode'); // the default again, which the next start has
    write(file, createBytes);
  };
  const timer = setTimeout(save, START_MS).unref();
  process.once('exit', save);
}

/**
 * @param {string} file
 * @param {() => Buffer} createBytes
 */
function write(file, createBytes) {
  const unfinished = `${file}.${process.pid}`;
  try {
    const descriptor = openSync(unfinished, 'w');
    writeFileSync(descriptor, createBytes());
    closeSync(descriptor);
    renameSync(unfinished, file);
  } catch {
    // A read-only folder: the next start compiles again.
  }
}
