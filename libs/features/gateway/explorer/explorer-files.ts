import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file of the explorer. */
export interface ExplorerFile {
  type: string;
  content: Buffer;
}

export interface ExplorerFiles {
  page: ExplorerFile;
  /** By name. A file with other content has another name. */
  assets: ReadonlyMap<string, ExplorerFile>;
}

const TYPES = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/** Where the build writes the explorer, seen from the bundle of an app and from this file. */
const FOLDERS = ['../../explorer', '../../../../dist/explorer'].map((path) => join(__dirname, path));

/** Reads the explorer into memory, some hundred kilobytes; null if it is not built yet. */
export function readExplorerFiles(): ExplorerFiles | null {
  const folder = FOLDERS.find((path) => existsSync(join(path, 'index.html')));
  if (folder === undefined) return null;
  const read = (path: string): ExplorerFile => ({
    type: TYPES.get(extname(path)) ?? 'application/octet-stream',
    content: readFileSync(path),
  });
  const assets = join(folder, 'assets');
  return {
    page: read(join(folder, 'index.html')),
    assets: new Map(readdirSync(assets).map((name) => [name, read(join(assets, name))])),
  };
}
