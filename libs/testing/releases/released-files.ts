import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the repository. */
export const ROOT = dirname(dirname(dirname(__dirname)));

/** Has a folder for each frozen minor, such as `1.0`, and `retired.json`. */
export const RELEASES = join(ROOT, 'releases');

/** @returns the frozen minors, oldest first */
export function listReleases(): string[] {
  const folders = readdirSync(RELEASES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort((a, b) => minorOf(a) - minorOf(b));
}

/** @returns the minor from which one upgrades to the sources: the newest that is released, and the oldest while none is */
export function findLastRelease(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const [major, minor] = version.split('.').map(Number);
  const releases = listReleases();
  return releases.findLast((release) => major === 1 && minorOf(release) <= minor) ?? releases[0];
}

function minorOf(release: string): number {
  return Number(release.split('.')[1]);
}

/** @throws if the release has no such file: `npm run release:freeze` writes it */
export function readReleased(release: string, file: string): unknown {
  return JSON.parse(readFileSync(join(RELEASES, release, file), 'utf8'));
}

/** What the present minor no longer wants: what `Breach.of` says, and the first minor that warned. */
export type Retired = Readonly<Record<string, string>>;

/** @returns `releases/retired.json` */
export function readRetired(): Retired {
  return JSON.parse(readFileSync(join(RELEASES, 'retired.json'), 'utf8')) as Retired;
}
