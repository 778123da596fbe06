import { readonly, writable } from '../calls/call';
import { callTransfer } from '../calls/solana-calls';
import { SOLANA_PROGRAMS } from '../keys';
import { type TransactionDraft } from '../transaction/draft';
import { type Stage } from './stage';
import { callProgram } from './wrap';

const VOTE_BYTES = 116;

/** A validator's vote, of which real blocks are full. */
export function vote({ cast, random }: Stage): TransactionDraft {
  const validator = cast.newKey();
  const call = {
    program: SOLANA_PROGRAMS.vote,
    accounts: [writable(cast.newKey()), readonly(validator)],
    data: random.bytes(VOTE_BYTES),
    calls: [],
  };
  return { signers: [validator], calls: [call], events: [], isFailed: false };
}

/** Lamports that go from one wallet to another, by themselves or through a program. */
export function transferSol(stage: Stage): TransactionDraft {
  const { cast, random } = stage;
  const payer = cast.wallet();
  const transfer = callTransfer(payer, cast.wallet(), random.u64UpTo(1_000_000_000n));
  const calls = random.chance(0.5) ? [transfer] : [callProgram(stage, cast.newKey(), [transfer])];
  return { signers: [payer], calls, events: [], isFailed: false };
}
