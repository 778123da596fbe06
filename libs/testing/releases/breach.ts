import { type Retired } from './released-files';

/** A promise of a release that the sources break. */
export interface Breach {
  /** What is concerned, such as `setting GATEWAY_PORT`. */
  of: string;
  /** What is wrong with it, as a sentence without its subject. */
  problem: string;
}

/**
 * Reports breaches, apart from those that are permitted: what a frozen minor has warned of may change.
 *
 * @param file with what was promised
 * @param releases frozen minors
 * @returns the report; empty if nothing is wrong
 */
export function reportBreaches(
  file: string,
  breaches: readonly Breach[],
  retired: Retired,
  releases: readonly string[],
): string {
  const lines = breaches
    .filter(({ of }) => !(of in retired && releases.includes(retired[of])))
    .map(({ of, problem }) => `  ${of} ${problem}`);
  if (lines.length === 0) return '';
  return `${file} promises what the sources do not keep:
${lines.join('\n')}
Keep it, or retire it as docs/compatibility.md says: once a minor that warns is frozen, add the first words of the line to
releases/retired.json, such as { "setting NAME": "1.1" }. If the release of this folder has no tag yet, freeze it again:
npm run release:freeze`;
}
