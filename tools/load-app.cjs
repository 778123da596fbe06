// The build copies this to dist/apps/<name>/main.js. It loads the bundle beside it, app.js, with the bytecode that V8 compiled
// at an earlier start: compiling takes longer than everything else that is loaded.

const { readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { createRequire, Module } = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const BUNDLE = join(__dirname, 'app.js');

// Node maps stack traces to sources only in modules that it loads itself.
if (process.sourceMapsEnabled) require('./app.js');
else runWithCachedCode();

function runWithCachedCode() {
  const { mtimeMs, size } = statSync(BUNDLE);
  const cache = join(__dirname, `app.${process.version}.${mtimeMs}.${size}.bytecode`);
  const cachedData = read(cache);
  // V8 rejects bytecode of another version or with other flags, and compiles.
  const script = new Script(Module.wrap(readFileSync(BUNDLE, 'latin1')), { filename: BUNDLE, cachedData });
  script.runInThisContext().call({}, {}, createRequire(BUNDLE), module, BUNDLE, __dirname);
  if (!cachedData || script.cachedDataRejected) write(cache, script.createCachedData());
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
 * @param {string} file
 * @param {Buffer} bytes
 */
function write(file, bytes) {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, bytes);
    renameSync(unfinished, file);
  } catch {
    // A read-only folder: the next start compiles again.
  }
}
