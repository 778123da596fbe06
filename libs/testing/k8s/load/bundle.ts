import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../manifests';

/** A program of this folder with all that it imports, as one file that any version of Node runs. @param name without extension */
export function bundle(name: string): string {
  const esbuild = join(ROOT, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const args = ['--bundle', '--minify', '--platform=node', `--tsconfig=${join(ROOT, 'tsconfig.base.json')}`];
  return execFileSync(esbuild, [join(__dirname, `${name}.ts`), ...args], { encoding: 'utf8' });
}
