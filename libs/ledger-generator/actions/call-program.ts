import { keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { type AccountMeta, type Instruction, readonly } from '../instructions/instruction';
import { GENERATED_PROGRAMS, SOLANA_PROGRAMS } from '../keys';
import { type GenerationContext } from './generation-context';

const NESTED_SHARE = 0.2;

/** An instruction of the program with these CPIs; sometimes another program calls it. */
export function callThroughProgram(
  context: GenerationContext,
  program: Pubkey,
  cpis: readonly Instruction[],
): Instruction {
  const isToken = program.equals(GENERATED_PROGRAMS.compressedToken);
  const preparation = isToken && context.random.chance(0.3) ? [splTokenInstruction(context)] : [];
  const inner = callProgram(context, program, [...preparation, ...cpis]);
  return context.random.chance(NESTED_SHARE) ? callProgram(context, context.actors.pickProgram(), [inner]) : inner;
}

/** An instruction of the program with these CPIs. It names every account that its CPIs use. */
export function callProgram({ random }: GenerationContext, program: Pubkey, cpis: readonly Instruction[]): Instruction {
  return { program, accounts: accountsOf(cpis), data: random.bytes(random.between(9, 40)), cpis };
}

/** A transfer of the uncompressed tokens. */
function splTokenInstruction({ random, actors }: GenerationContext): Instruction {
  const data = Buffer.concat([Buffer.of(3), random.bytes(8)]);
  return { program: SOLANA_PROGRAMS.splToken, accounts: [readonly(actors.pickWallet())], data, cpis: [] };
}

function accountsOf(instructions: readonly Instruction[]): AccountMeta[] {
  const metas = new Map<string, AccountMeta>();
  const collect = (instruction: Instruction) => {
    for (const { key, isWritable } of [...instruction.accounts, readonly(instruction.program)]) {
      metas.set(keyOf(key), { key, isWritable: isWritable || (metas.get(keyOf(key))?.isWritable ?? false) });
    }
    instruction.cpis.forEach(collect);
  };
  instructions.forEach(collect);
  return [...metas.values()];
}
