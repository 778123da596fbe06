import { type Breach } from './breach';

/** Lists of names of which none may go, by what they are names of, in the singular. */
export type KeptNames = Record<string, string[]>;

/** No name is gone. */
export function compareNames(released: KeptNames, now: KeptNames): Breach[] {
  return Object.entries(released).flatMap(([kind, names]) => {
    return missingFrom(now[kind] ?? [], names).map((name) => ({ of: `${kind} ${name}`, problem: 'is gone' }));
  });
}

function missingFrom(present: readonly string[], names: readonly string[]): string[] {
  return names.filter((name) => !present.includes(name));
}
