import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @type {import('vite').UserConfig} */
export default {
  root: import.meta.dirname,
  // The gateway may be behind a proxy that adds a path.
  base: './',
  plugins: [react()],
  resolve: { alias: [{ find: /^@fresnel\/(.*)$/, replacement: join(ROOT, 'libs/$1/index.ts') }] },
  build: {
    outDir: join(ROOT, 'dist/explorer'),
    emptyOutDir: true,
    // The content security policy forbids data: URLs of scripts, and files are cached for ever.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
};
