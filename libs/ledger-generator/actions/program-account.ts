import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type AccountBody, type AccountData } from '../facts';
import { newLamports } from './amounts';
import { type GenerationContext } from './generation-context';

const MAX_DATA_BYTES = 64;
const HIGHEST_DISCRIMINATOR = Buffer.alloc(8, 0xff);

/** A random account of a user program. */
export function programAccount(context: GenerationContext, owner: Pubkey, address: Hash | null): AccountBody {
  return { owner, address, lamports: newLamports(context.random), data: programData(context) };
}

/** Random discriminator, bytes and data hash. */
export function programData({ random, actors }: GenerationContext): AccountData {
  return {
    discriminator: random.chance(0.05) ? HIGHEST_DISCRIMINATOR : random.bytes(8),
    bytes: random.bytes(random.between(0, MAX_DATA_BYTES)),
    dataHash: actors.newFieldElement(),
  };
}
