/** How much the kill test does; CONTRIBUTING.md names the variables. */
export interface FaultLoad {
  kills: number;
  slots: number;
  /** Decides who is killed when. */
  seed: number;
}

const KILLS = 50;
const SLOTS = 2_100;

/** @throws where a variable is no whole number */
export function readFaultLoad(): FaultLoad {
  return {
    kills: readNumber('FRESNEL_TEST_KILLS') ?? KILLS,
    slots: readNumber('FRESNEL_TEST_SLOTS') ?? SLOTS,
    seed: readNumber('FRESNEL_TEST_SEED') ?? Date.now() % 2 ** 31,
  };
}

function readNumber(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is ${JSON.stringify(text)}, not a whole number`);
  return Number(text);
}
