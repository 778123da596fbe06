import { MAX_U64, type Pubkey } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS } from '../keys';
import { type Random } from '../random';
import { amountUpTo } from './amounts';
import { type Intent, treeChooser } from './intent';
import { type Stage } from './stage';
import { plainToken, tokenOutput } from './token-output';

const MAX_RECIPIENTS = 5;
const MAX_AMOUNT = 2n ** 50n;
const WHOLE_SUPPLY_SHARE = 0.06;

/** One extension, "compressed only": count u32 | type 31 | delegated amount u64 | withheld fee u64 | is ATA u8 */
const COMPRESSED_ONLY = Buffer.from(`010000001f${'00'.repeat(16)}01`, 'hex');

/** New tokens for several recipients, or all that there can be for one. A mint's supply fits in a u64. */
export function intendMint(stage: Stage): Intent {
  const { cast, random } = stage;
  const isWhole = random.chance(WHOLE_SUPPLY_SHARE);
  const mint = isWhole ? cast.newMint() : drawMint(stage);
  const nextTree = treeChooser(stage);
  const outputs = Array.from({ length: isWhole ? 1 : random.between(1, MAX_RECIPIENTS) }, () => {
    const amount = isWhole ? MAX_U64 : amountUpTo(MAX_AMOUNT, random);
    const token = { ...plainToken(mint, cast.wallet(), amount), extensions: extensionsOf(random) };
    return tokenOutput(stage, nextTree(), token, random.chance(0.1) ? 1_000_000n : 0n);
  });
  return { inputs: [], outputs, newAddresses: [], payer: cast.wallet(), program: GENERATED_PROGRAMS.compressedToken };
}

/** One of which there can be more. */
function drawMint({ cast, chain }: Stage): Pubkey {
  const mint = cast.mint();
  return chain.supplyOf(mint) + BigInt(MAX_RECIPIENTS) * MAX_AMOUNT > MAX_U64 ? cast.newMint() : mint;
}

function extensionsOf(random: Random): Buffer | null {
  return random.chance(0.1) ? COMPRESSED_ONLY : null;
}
