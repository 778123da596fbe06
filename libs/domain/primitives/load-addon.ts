import { existsSync } from 'node:fs';

/**
 * Loads an addon of Node that the build compiled from C. Fresnel runs without it.
 *
 * @param path of the file `.node`
 * @returns what it exports; nothing if it is not compiled, or not for this platform
 */
export function loadAddon<Exports>(path: string): Partial<Exports> {
  if (!existsSync(path)) return {};
  try {
    const addon: { exports: Partial<Exports> } = { exports: {} };
    process.dlopen(addon, path);
    return addon.exports;
  } catch (error) {
    // It was compiled for another platform, or for another C library.
    if ((error as NodeJS.ErrnoException).code === 'ERR_DLOPEN_FAILED') return {};
    throw error;
  }
}
