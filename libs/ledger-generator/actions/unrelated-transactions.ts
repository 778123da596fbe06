import { readonly, writable } from '../instructions/instruction';
import { transferInstruction } from '../instructions/solana-instructions';
import { SOLANA_PROGRAMS } from '../keys';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type GenerationContext } from './generation-context';
import { callProgram } from './call-program';

const VOTE_BYTES = 116;

/** Builds a validator's vote, the most frequent transaction of real blocks. */
export function vote({ actors, random }: GenerationContext): TransactionDraft {
  const validator = actors.newKey();
  const instruction = {
    program: SOLANA_PROGRAMS.vote,
    accounts: [writable(actors.newKey()), readonly(validator)],
    data: random.bytes(VOTE_BYTES),
    cpis: [],
  };
  return { signers: [validator], instructions: [instruction], events: [], isFailed: false };
}

/** Builds a transfer of lamports between wallets, directly or through a program. */
export function transferSol(context: GenerationContext): TransactionDraft {
  const { actors, random } = context;
  const payer = actors.pickWallet();
  const transfer = transferInstruction(payer, actors.pickWallet(), random.u64UpTo(1_000_000_000n));
  const instructions = random.chance(0.5) ? [transfer] : [callProgram(context, actors.newKey(), [transfer])];
  return { signers: [payer], instructions, events: [], isFailed: false };
}
