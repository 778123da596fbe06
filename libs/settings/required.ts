import { type SettingDescription, SettingsError } from '@fresnel/platform';

/** The value of a setting that a service cannot do without. @throws SettingsError */
export function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new SettingsError(`settings are wrong:\n  ${name}: it has to be set`);
  return value;
}

/** A setting without a default that has to be set. */
export function mandatory<Setting extends SettingDescription>(setting: Setting): Setting {
  return { ...setting, defaultInWords: 'none, it has to be set' };
}
