import { type Retired } from './released-files';

/** A promise of a release that the sources break. */
export interface Breach {
  /** What is concerned, such as `setting GATEWAY_PORT`. */
  of: string;
  /** What is wrong with it. */
  problem: string;
}

/** Omits what may change: what a frozen minor has warned of. @param releases frozen minors */
export function omitRetired(breaches: readonly Breach[], retired: Retired, releases: readonly string[]): Breach[] {
  return breaches.filter(({ of }) => !(of in retired && releases.includes(retired[of])));
}

/** One cause may break hundreds of calls. */
const MAX_LINES = 20;
const MAX_LENGTH = 400;

const RETIRE = `Keep it, or retire it as docs/compatibility.md says: once a minor that warns is frozen, add what is before the colon to
releases/retired.json, such as { "setting NAME": "1.1" }.`;
const KEEP = 'Keep it, and add something else beside it: only version 2.0 may break it.';

/**
 * Says what is wrong and what to do.
 *
 * @param file with what was promised
 * @returns empty without breaches
 */
export function reportBreaches(file: string, breaches: readonly Breach[], isRetirable: boolean): string {
  if (breaches.length === 0) return '';
  const lines = [...new Set(breaches.map(({ of, problem }) => `  ${of}: ${problem}`))];
  const shown = lines.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LENGTH));
  const more = lines.length > MAX_LINES ? `\n  and ${lines.length - MAX_LINES} more` : '';
  return `${file} promises what the sources do not keep:
${shown.join('\n')}${more}
${isRetirable ? RETIRE : KEEP}
If this version has no tag yet, and the change is wanted, write its files anew: npm run release:freeze`;
}
