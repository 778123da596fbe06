import { dirname } from 'node:path';
import { writeClientTypes } from './client-types';
import { writeConfigurationPage } from './configuration-page';
import { writeMethodsPage } from './methods-page';

/** The folder of the repository. */
export const ROOT = dirname(dirname(dirname(__dirname)));

/** The files that `npm run docs:make` writes: the path, and a function that returns the text. */
export const GENERATED_FILES: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': writeConfigurationPage,
  'docs/methods.md': writeMethodsPage,
  'libs/client/generated/methods.ts': writeClientTypes,
};
