/** The build replaces them by the version and the name of the npm package. */
declare const FRESNEL_VERSION: string | undefined;
declare const FRESNEL_PACKAGE: string | undefined;

/** The version of this build; from the sources, "development". */
export const VERSION = typeof FRESNEL_VERSION === 'undefined' ? 'development' : FRESNEL_VERSION;

/** The command that starts one process of this installation: a package of npm, or a checkout. */
export const START_COMMAND =
  typeof FRESNEL_PACKAGE !== 'undefined' && __dirname.includes('node_modules') ? `npx ${FRESNEL_PACKAGE}` : 'npm start';
