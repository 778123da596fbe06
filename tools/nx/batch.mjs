// What the Nx executors of this folder share. Each runs one tool once for all projects that are not in the cache, because most of
// the time of a run for one project is start-up: loading the tool, and reading types.

import { sep } from 'node:path';

/**
 * The result of one task.
 *
 * @typedef {{ success: boolean, terminalOutput: string }} TaskResult
 */

/**
 * The parts of Nx's context and task graph that are used here.
 *
 * @typedef {{ root: string, projectName?: string, projectsConfigurations: { projects: Record<string, { root: string }> } }} Context
 * @typedef {{ tasks: Record<string, { id: string, target: { project: string } }> }} TaskGraph
 */

/**
 * Makes an executor of a function that takes the folders of projects, relative to the root of the workspace, and returns a result
 * for each. The function prints what people should see: Nx shows `terminalOutput` only when it restores a result from the cache.
 *
 * @param {(roots: string[], root: string) => Promise<Map<string, TaskResult>>} run
 */
export function createExecutor(run) {
  /**
   * @param {unknown} _options
   * @param {Context} context
   */
  async function runOne(_options, context) {
    const { root } = context.projectsConfigurations.projects[context.projectName ?? ''];
    return { success: (await run([root], context.root)).get(root)?.success ?? false };
  }

  /**
   * @param {TaskGraph} taskGraph
   * @param {unknown} _inputs
   * @param {unknown} _overrides
   * @param {Context} context
   */
  async function runBatch(taskGraph, _inputs, _overrides, context) {
    const roots = new Map(
      Object.values(taskGraph.tasks).map(({ id, target }) => [
        id,
        context.projectsConfigurations.projects[target.project].root,
      ]),
    );
    const results = await run([...roots.values()], context.root);
    return Object.fromEntries([...roots].map(([id, root]) => [id, results.get(root)]));
  }

  return { runOne, runBatch };
}

/**
 * The project that a file belongs to.
 *
 * @param {string} file relative to the root of the workspace
 * @param {string[]} roots folders of projects
 */
export function projectOf(file, roots) {
  const containing = roots.filter((root) => file.split(sep).join('/').startsWith(`${root}/`));
  // A project may contain another one.
  return containing.sort((one, other) => other.length - one.length).at(0);
}
