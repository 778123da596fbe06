import { ConfigError, required as requiredVariable } from '@fresnel/platform';

/** The value of a variable that a service cannot do without. @throws ConfigError */
export function required<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new ConfigError(`invalid configuration:\n  ${name}: must be set`);
  return value;
}

export const mandatory = requiredVariable;
