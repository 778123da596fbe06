import { omitRetired, reportBreaches } from './breach';
import { listReleases, readReleased, readRetired } from './released-files';
import { type Surface } from './surfaces';

/** Compares a file of a release with the sources. @returns what to do, as `reportBreaches` does; empty if nothing is wrong */
export function findBreaches(release: string, file: string, { compare, isRetirable }: Surface): string {
  const breaches = compare(readReleased(release, file));
  const remaining = isRetirable ? omitRetired(breaches, readRetired(), listReleases()) : breaches;
  return reportBreaches(`releases/${release}/${file}`, remaining, isRetirable);
}
