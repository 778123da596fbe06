import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_FILES, ROOT } from './generated-files';

/** Folders with pages, apart from the root. */
const FOLDERS = ['.github', 'apps', 'docker', 'docs', 'k8s', 'libs', 'releases'];
/** `npm run release` writes it. */
const CHANGELOG = 'CHANGELOG.md';

/** @returns the text of each page that a person writes, by its path in the repository */
export function readHandWrittenPages(): Map<string, string> {
  const generated = new Set([CHANGELOG, ...Object.keys(GENERATED_FILES)]);
  const inFolders = FOLDERS.flatMap((folder) => {
    return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`);
  });
  const pages = [...readdirSync(ROOT), ...inFolders].filter((path) => path.endsWith('.md') && !generated.has(path));
  return new Map(pages.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));
}
