import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { START_SCRIPT } from './docs-page';

/** A file that the page loads. */
export interface DocsAsset {
  type: string;
  content: Buffer;
}

const SCRIPT = 'text/javascript; charset=utf-8';

/** Where the build copies the files of Swagger UI, seen from the bundle of an app. The sources read them from its package. */
const BUILT = join(__dirname, '..', '..', 'swagger-ui');

/** Reads the files that the page loads, by file name, into memory. */
export function loadDocsAssets(): ReadonlyMap<string, DocsAsset> {
  return new Map([
    ['start.js', { type: SCRIPT, content: Buffer.from(START_SCRIPT) }],
    ['swagger-ui-bundle.js', { type: SCRIPT, content: packaged('swagger-ui-bundle.js') }],
    ['swagger-ui.css', { type: 'text/css; charset=utf-8', content: packaged('swagger-ui.css') }],
    ['favicon-32x32.png', { type: 'image/png', content: packaged('favicon-32x32.png') }],
  ]);
}

function packaged(file: string): Buffer {
  return readFileSync(existsSync(BUILT) ? join(BUILT, file) : require.resolve(`swagger-ui-dist/${file}`));
}
