/** The build replaces it by the version of the package. */
declare const FRESNEL_VERSION: string | undefined;

/** The version of this build; from the sources, "development". */
export const VERSION = typeof FRESNEL_VERSION === 'undefined' ? 'development' : FRESNEL_VERSION;
