/** Which circuits a prover has: all of them, or the few of a local test setup. */
export type CircuitSet = 'full' | 'small';

export const CIRCUIT_SETS: readonly CircuitSet[] = ['full', 'small'];

/** What one proof covers. All trees of a proof have the same version. */
export interface CircuitSize {
  version: 1 | 2;
  accounts: number;
  addresses: number;
}

/** The numbers of accounts and addresses for which there is a circuit. */
interface Circuits {
  accounts: readonly number[];
  addresses: readonly number[];
  /** Pairs of accounts and addresses. */
  combined: readonly (readonly [number, number])[];
}

const upTo = (max: number) => Array.from({ length: max }, (_, at) => at + 1);
const pairsUpTo = (accounts: number, addresses: number) =>
  upTo(accounts).flatMap((one) => upTo(addresses).map((other) => [one, other] as const));

const SMALL_PAIRS = [
  [1, 1],
  [1, 2],
  [2, 1],
] as const;

const CIRCUITS: Record<CircuitSet, Record<1 | 2, Circuits>> = {
  full: {
    1: { accounts: [1, 2, 3, 4, 8], addresses: upTo(2), combined: pairsUpTo(4, 2) },
    2: { accounts: upTo(20), addresses: upTo(32), combined: pairsUpTo(4, 4) },
  },
  small: {
    1: { accounts: upTo(4), addresses: upTo(2), combined: SMALL_PAIRS },
    2: { accounts: upTo(4), addresses: upTo(2), combined: SMALL_PAIRS },
  },
};

/**
 * Why a prover has no circuit of a size: a part of a sentence that names the sizes it has. Null if it has one.
 *
 * @param size at least one account or address
 */
export function explainMissingCircuit({ version, accounts, addresses }: CircuitSize, set: CircuitSet): string | null {
  const circuits = CIRCUITS[set][version];
  const trees = `V${version} trees`;
  if (addresses === 0) {
    if (circuits.accounts.includes(accounts)) return null;
    return `${accounts} accounts cannot be proven together, but ${listOf(circuits.accounts)} accounts of ${trees}`;
  }
  if (accounts === 0) {
    if (circuits.addresses.includes(addresses)) return null;
    return `${addresses} addresses cannot be proven together, but ${listOf(circuits.addresses)} addresses of ${trees}`;
  }
  if (circuits.combined.some(([one, other]) => one === accounts && other === addresses)) return null;
  const allowed = circuits.combined.map(([one, other]) => `${one}+${other}`).join(', ');
  return `${accounts} accounts and ${addresses} addresses cannot be proven together, but accounts+addresses ${allowed} of ${trees}`;
}

/** A list, with runs of numbers as ranges. */
function listOf(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    if (run?.[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`)).join(' or ');
}
