import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type AccountMeta, type Call, readonly } from '../calls/call';
import { GENERATED_PROGRAMS, SOLANA_PROGRAMS } from '../keys';
import { type Stage } from './stage';

const NESTED_SHARE = 0.2;

/** A program's instruction that makes these calls; now and then a program in front of it calls that program. */
export function wrap(stage: Stage, program: Pubkey, calls: readonly Call[]): Call {
  const isToken = program.equals(GENERATED_PROGRAMS.compressedToken);
  const preparation = isToken && stage.random.chance(0.3) ? [callSplToken(stage)] : [];
  const inner = callProgram(stage, program, [...preparation, ...calls]);
  return stage.random.chance(NESTED_SHARE) ? callProgram(stage, stage.cast.program(), [inner]) : inner;
}

/** A program's instruction that makes these calls. It can only hand on accounts that it was given. */
export function callProgram({ random }: Stage, program: Pubkey, calls: readonly Call[]): Call {
  return { program, accounts: accountsOf(calls), data: random.bytes(random.between(9, 40)), calls };
}

/** The movement of tokens on the uncompressed side. */
function callSplToken({ random, cast }: Stage): Call {
  const data = Buffer.concat([Buffer.of(3), random.bytes(8)]);
  return { program: SOLANA_PROGRAMS.splToken, accounts: [readonly(cast.wallet())], data, calls: [] };
}

function accountsOf(calls: readonly Call[]): AccountMeta[] {
  const metas = new Map<string, AccountMeta>();
  const collect = (call: Call) => {
    for (const { key, isWritable } of [...call.accounts, readonly(call.program)]) {
      metas.set(keyOf(key), { key, isWritable: isWritable || (metas.get(keyOf(key))?.isWritable ?? false) });
    }
    call.calls.forEach(collect);
  };
  calls.forEach(collect);
  return [...metas.values()];
}
