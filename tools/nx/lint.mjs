// The executor of the `lint` targets: ESLint and Prettier, each started once for all projects.

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { ESLint } from 'eslint';
import { createExecutor, projectOf } from './batch.mjs';

const require = createRequire(import.meta.url);

/**
 * For several projects, the types of the whole workspace are read once. An editor, or a run for one project, reads those of that
 * project only.
 *
 * @param {string} root
 */
const readTypesOnce = (root) => ({
  files: ['**/*.{ts,tsx}'],
  languageOptions: {
    parserOptions: {
      projectService: false,
      project: ['tsconfig.json', 'apps/explorer/tsconfig.json'],
      tsconfigRootDir: root,
    },
  },
});

/** typescript-eslint then does not prepare for files that change. */
process.env.TSESTREE_SINGLE_RUN = 'true';

const { runOne, runBatch } = createExecutor(async (roots, root) => {
  const [eslint, prettier] = await Promise.all([runEslint(roots, root), runPrettier(roots)]);
  return new Map(
    roots.map((project) => {
      const problems = [...(eslint.get(project) ?? []), ...(prettier.get(project) ?? [])];
      if (problems.length > 0) console.log(problems.join('\n'));
      return [project, { success: problems.length === 0, terminalOutput: problems.join('\n') }];
    }),
  );
});

export default runOne;
export const lintBatch = runBatch;

/**
 * Warnings count as errors.
 *
 * @param {string[]} projects folders
 * @param {string} root
 * @returns {Promise<Map<string, string[]>>} problems by project
 */
async function runEslint(projects, root) {
  const eslint = new ESLint({ cwd: root, overrideConfig: projects.length > 1 ? [readTypesOnce(root)] : [] });
  const formatter = await eslint.loadFormatter('stylish');
  const results = (await eslint.lintFiles(projects)).filter(({ messages }) => messages.length > 0);
  const byProject = groupBy(results, ({ filePath }) => projectOf(relative(root, filePath), projects));
  const texts = [...byProject].map(async ([project, found]) => {
    const text = await formatter.format(found);
    return /** @type {[string, string[]]} */ ([project, [text]]);
  });
  return new Map(await Promise.all(texts));
}

/**
 * @param {string[]} projects folders
 * @returns {Promise<Map<string, string[]>>} problems by project
 */
async function runPrettier(projects) {
  const script = require.resolve('prettier/bin/prettier.cjs');
  const args = [script, '--list-different', ...projects];
  /** @type {string} */
  const stdout = await new Promise((resolve, reject) => {
    // Prettier exits with 1 for files to format, and with 2 for files that it cannot read.
    execFile(process.execPath, args, (error, output) => (error && error.code !== 1 ? reject(error) : resolve(output)));
  });
  const files = stdout.split('\n').filter((line) => line !== '');
  const byProject = groupBy(files, (file) => projectOf(file, projects));
  return new Map([...byProject].map(([project, found]) => [project, found.map((file) => `${file} is not formatted`)]));
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => string | undefined} keyOf
 */
function groupBy(items, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item) ?? '';
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
