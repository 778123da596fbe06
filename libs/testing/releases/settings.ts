import { type ConfigSchema, describeDefault } from '@fresnel/platform';
import { type Breach } from './breach';

/** The default of each setting, as `--help` shows it, by process and name. */
export type Settings = Record<string, Record<string, string>>;

const REQUIRED = 'none, must be set';

/** @param processes schemas by the name of the process */
export function describeSettings(processes: Record<string, ConfigSchema>): Settings {
  return mapValues(processes, (schema) => mapValues(schema, describeDefault));
}

/** No setting is gone, no default is another, and none has to be set that did not exist. */
export function compareSettings(released: Settings, now: Settings): Breach[] {
  return Object.entries(released).flatMap(([process, settings]) => {
    const present = now[process] ?? {};
    const changed = Object.entries(settings).flatMap(([name, value]): Breach[] => {
      if (!(name in present)) return [{ of: `setting ${name}`, problem: `is gone from ${process}` }];
      if (present[name] === value) return [];
      return [{ of: `default of ${name}`, problem: `was "${value}" in ${process} and is "${present[name]}"` }];
    });
    const required = Object.entries(present)
      .filter(([name, value]) => !(name in settings) && value === REQUIRED)
      .map(([name]): Breach => ({ of: `setting ${name}`, problem: `is new in ${process}, and has no default` }));
    return [...changed, ...required];
  });
}

function mapValues<Value, Mapped>(
  values: Record<string, Value>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
