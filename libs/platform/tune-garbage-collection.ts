import { setFlagsFromString } from 'node:v8';

/**
 * Suits V8's garbage collection to processes whose requests or blocks are garbage soon.
 *
 * - The heap may grow to 1.6 times what is in use before it is collected: by default, a small one may grow to several times. Under load
 *   a gateway takes 170 instead of 205 to 245 MB, and a catch-up in one process 325 instead of 460 MB.
 * - Objects are not created in the old space because others of the same place in the code have lived long (pretenuring). There they are
 *   garbage until the next full collection, and so is all to which they refer: for each page of accounts, 42 KB of text. A
 *   gateway takes a sixth less CPU time for a page.
 */
export function tuneGarbageCollection(): void {
  setFlagsFromString('--heap-growing-percent=60');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
