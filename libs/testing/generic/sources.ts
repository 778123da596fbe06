import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of the repository. */
export interface Source {
  path: string;
  text: string;
}

/** Reads the sources of apps and libraries, without tests. @param root folder of the repository */
export function readSources(root: string): Source[] {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/spec\.ts$|^testing\//.test(file))
      .map((file) => ({ path: `${folder}/${file}`, text: readFileSync(join(root, folder, file), 'utf8') })),
  );
}
