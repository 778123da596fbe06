import { type ConfigVariable, ConfigError } from '@fresnel/platform';

/** The value of a setting that a service cannot do without. @throws ConfigError */
export function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new ConfigError(`invalid configuration:\n  ${name}: must be set`);
  return value;
}

/** A setting without a default that must be set. */
export function mandatory<Setting extends ConfigVariable>(setting: Setting): Setting {
  return { ...setting, defaultInWords: 'none, must be set' };
}
