import { MAX_U64, type Pubkey } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS } from '../keys';
import { type Random } from '../random';
import { amountUpTo } from './amounts';
import { type TransitionPlan, stateTreePicker } from './transition-plan';
import { type GenerationContext } from './generation-context';
import { plainToken, tokenOutput } from './token-output';

const MAX_RECIPIENTS = 5;
const MAX_AMOUNT = 2n ** 50n;
const WHOLE_SUPPLY_SHARE = 0.06;

/** One extension, "compressed only": count u32 | type 31 | delegated amount u64 | withheld fee u64 | is ATA u8 */
const COMPRESSED_ONLY = Buffer.from(`010000001f${'00'.repeat(16)}01`, 'hex');

/** Plans a mint to several recipients, or of the largest possible supply to one. The supply of a mint fits in a u64. */
export function planMint(context: GenerationContext): TransitionPlan {
  const { actors, random } = context;
  const isWhole = random.chance(WHOLE_SUPPLY_SHARE);
  const mint = isWhole ? actors.newMint() : drawMint(context);
  const nextTree = stateTreePicker(context);
  const outputs = Array.from({ length: isWhole ? 1 : random.between(1, MAX_RECIPIENTS) }, () => {
    const amount = isWhole ? MAX_U64 : amountUpTo(MAX_AMOUNT, random);
    const token = { ...plainToken(mint, actors.pickWallet(), amount), extensions: extensionsOf(random) };
    return tokenOutput(context, nextTree(), token, random.chance(0.1) ? 1_000_000n : 0n);
  });
  return {
    inputs: [],
    outputs,
    newAddresses: [],
    payer: actors.pickWallet(),
    program: GENERATED_PROGRAMS.compressedToken,
  };
}

/** A mint whose supply can still grow. */
function drawMint({ actors, chain }: GenerationContext): Pubkey {
  const mint = actors.pickMint();
  return chain.supplyOf(mint) + BigInt(MAX_RECIPIENTS) * MAX_AMOUNT > MAX_U64 ? actors.newMint() : mint;
}

function extensionsOf(random: Random): Buffer | null {
  return random.chance(0.1) ? COMPRESSED_ONLY : null;
}
