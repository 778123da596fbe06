import { type Hash, type Pubkey } from '@fresnel/domain/primitives';
import { type AccountBody, type AccountData } from '../facts';
import { newLamports } from './amounts';
import { type Stage } from './stage';

const MAX_DATA_BYTES = 64;
const HIGHEST_DISCRIMINATOR = Buffer.alloc(8, 0xff);

/** The body of an account that a user program would keep. */
export function programAccount(stage: Stage, owner: Pubkey, address: Hash | null): AccountBody {
  return { owner, address, lamports: newLamports(stage.random), data: programData(stage) };
}

/** Any data: what they mean is between the program and its users. */
export function programData({ random, cast }: Stage): AccountData {
  return {
    discriminator: random.chance(0.05) ? HIGHEST_DISCRIMINATOR : random.bytes(8),
    bytes: random.bytes(random.between(0, MAX_DATA_BYTES)),
    dataHash: cast.newHash(),
  };
}
