#!/usr/bin/env node
// Runs Fresnel from a checkout: installs and builds what is missing, then becomes the app.

import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installMissing } from '../tools/install.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

installMissing();
const { build, isBuildStale } = await import('../tools/build.mjs');
if (isBuildStale()) await build();
await import(pathToFileURL(join(ROOT, 'dist', 'apps', 'standalone', 'main.js')).href);
