// The executor of the `test` targets: one run of Jest for the unit tests of all projects.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createExecutor, projectOf } from './batch.mjs';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

/**
 * The parts of Jest's report that are read here.
 *
 * @typedef {{ name: string, status: 'passed' | 'failed', message: string, assertionResults: { status: string }[] }} Suite
 * @typedef {{ success: boolean, testResults: Suite[] }} Report
 */

const { runOne, runBatch } = createExecutor(async (projects, root) => {
  const { testResults } = await runJest(projects);
  return new Map(
    projects.map((project) => {
      const suites = testResults.filter(({ name }) => projectOf(relative(root, name), projects) === project);
      const lines = suites.map((suite) => describeSuite(suite, root));
      return [
        project,
        { success: suites.every(({ status }) => status === 'passed'), terminalOutput: lines.join('\n') },
      ];
    }),
  );
});

export default runOne;
export const testBatch = runBatch;

/**
 * Jest prints to standard error as it goes.
 *
 * @param {string[]} projects folders
 * @returns {Promise<Report>}
 * @throws when Jest writes no report
 */
async function runJest(projects) {
  const folder = mkdtempSync(join(tmpdir(), 'fresnel-test-'));
  const report = join(folder, 'report.json');
  const patterns = projects.map((project) => `/${project}/`);
  const args = ['--selectProjects', 'unit', '--passWithNoTests', '--json', '--outputFile', report];
  // Unit tests wait for nothing. Each further worker only loads all modules once more.
  args.push('--maxWorkers', String(availableParallelism()));
  try {
    const jest = spawn(process.execPath, [JEST, ...args, '--testPathPatterns', ...patterns], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(jest, 'close');
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {Suite} suite
 * @param {string} root
 */
function describeSuite({ name, status, message, assertionResults }, root) {
  const file = relative(root, name);
  return status === 'passed' ? `PASS ${file} (${assertionResults.length} tests)` : `FAIL ${file}\n${message}`;
}
