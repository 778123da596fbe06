import { MAX_U64, type Pubkey } from '@fresnel/domain/primitives';
import { type StateTree } from '../chain/chain';
import { type TransitionRequest } from '../chain/plan-transition';
import { type CreatedAccount } from '../facts';
import { type Stage } from './stage';

/** A transition that somebody wants, before it is decided how it is called. */
export interface Intent extends TransitionRequest {
  /** Signs and pays. */
  payer: Pubkey;
  /** Owns what changes, and makes the call; null where the payer makes it. */
  program: Pubkey | null;
}

/** Makes up an intent; null where the state of the chain offers nothing to do. */
export type Intend = (stage: Stage) => Intent | null;

/** Lamports that must enter (above 0) or leave (below 0) so that inputs and outputs balance. */
export function lamportsFlow({ inputs, outputs }: TransitionRequest): bigint {
  return sumOf(outputs.map(({ body }) => body.lamports)) - sumOf(inputs.map(({ lamports }) => lamports));
}

/** As many of the accounts, from the first on, as a u64 can sum up. */
export function withinU64(
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

/** Their sum; 0 of none. */
export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n);
}

/** Where outputs go: mostly all to one state tree, now and then each to any. */
export function treeChooser({ chain, random }: Stage): () => StateTree {
  const tree = random.pick(chain.stateTrees);
  const isScattered = random.chance(0.25);
  return () => (isScattered ? random.pick(chain.stateTrees) : tree);
}
