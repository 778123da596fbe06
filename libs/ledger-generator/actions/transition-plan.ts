import { MAX_U64, type Pubkey } from '@fresnel/domain/primitives';
import { type StateTree } from '../chain/chain';
import { type TransitionRequest } from '../chain/compute-transition';
import { type CreatedAccount } from '../facts';
import { type GenerationContext } from './generation-context';

/** A state transition before the choice of the instruction that executes it. */
export interface TransitionPlan extends TransitionRequest {
  /** Signs and pays the fees. */
  payer: Pubkey;
  /** Program that calls the light system program; null when the payer's transaction calls it directly. */
  program: Pubkey | null;
}

/** Plans a random state transition, or returns null when the state of the chain does not allow one. */
export type TransitionPlanner = (context: GenerationContext) => TransitionPlan | null;

/** Lamports of the outputs minus lamports of the inputs: compressed when positive, decompressed when negative. */
export function netLamports({ inputs, outputs }: TransitionRequest): bigint {
  return sumOf(outputs.map(({ body }) => body.lamports)) - sumOf(inputs.map(({ lamports }) => lamports));
}

/** Drops each account whose value would raise the sum of the accounts before it above the maximum of a u64. */
export function limitToU64(
  accounts: readonly CreatedAccount[],
  valueOf: (account: CreatedAccount) => bigint,
): CreatedAccount[] {
  let sum = 0n;
  return accounts.filter((account) => {
    const isWithin = sum + valueOf(account) <= MAX_U64;
    if (isWithin) sum += valueOf(account);
    return isWithin;
  });
}

/** The sum of the values; 0 for an empty list. */
export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

/** Chooses the state tree of each output: usually one tree for all outputs, sometimes a random tree for each. */
export function stateTreePicker({ chain, random }: GenerationContext): () => StateTree {
  const tree = random.pick(chain.stateTrees);
  const isScattered = random.chance(0.25);
  return () => (isScattered ? random.pick(chain.stateTrees) : tree);
}
