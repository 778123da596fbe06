import { dirname } from 'node:path';
import { writeConfigurationPage } from './configuration-page';
import { writeMethodsPage } from './methods-page';

/** The folder of the repository. */
export const ROOT = dirname(dirname(dirname(__dirname)));

/** The pages that `npm run docs:make` writes: the name in `docs`, and a function that returns the text. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'configuration.md': writeConfigurationPage,
  'methods.md': writeMethodsPage,
};
