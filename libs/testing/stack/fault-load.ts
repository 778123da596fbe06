import { byFaultForm } from '@fresnel/testing/generic';

/** How much the kill test does. Each value has an environment variable, which takes precedence over the form of the run. */
export interface FaultLoad {
  /** `FRESNEL_TEST_KILLS` */
  kills: number;
  /** `FRESNEL_TEST_SLOTS` */
  slots: number;
  /** `FRESNEL_TEST_SEED`: decides which process is killed at which time. */
  seed: number;
}

/** @throws if a variable is not a whole number */
export function readFaultLoad(): FaultLoad {
  return {
    kills: readNumber('FRESNEL_TEST_KILLS') ?? byFaultForm({ short: 4, long: 50 }),
    slots: readNumber('FRESNEL_TEST_SLOTS') ?? byFaultForm({ short: 100, long: 2_100 }),
    seed: readNumber('FRESNEL_TEST_SEED') ?? byFaultForm({ short: 1, long: Date.now() % 2 ** 31 }),
  };
}

function readNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is ${JSON.stringify(text)}, not a whole number`);
  return Number(text);
}
