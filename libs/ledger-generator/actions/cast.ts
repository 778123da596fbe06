import { type Hash, type Pubkey, toPubkey } from '@fresnel/domain/primitives';
import { type Forester } from '../calls/forester-calls';
import { deriveAddressV1, deriveAddressV2 } from '../hashing/address';
import { type RequestedAddress } from '../chain/plan-transition';
import { type Random } from '../random';
import { type AddressTree } from '../trees/address-tree';

const FIRST_WALLETS = 16;
const PROGRAMS = 4;
const NEWCOMER_SHARE = 0.06;
const NEW_MINT_SHARE = 0.12;
const SEED_BYTES = 16;

/** Everybody who acts in a ledger: wallets, programs and mints. Newcomers join as it goes on. */
export class Cast {
  /** User programs that own compressed accounts. */
  readonly programs: readonly Pubkey[];
  readonly forester: Forester;
  private readonly wallets: Pubkey[];
  private readonly mints: Pubkey[] = [];

  constructor(private readonly random: Random) {
    this.wallets = Array.from({ length: FIRST_WALLETS }, () => this.newKey());
    this.programs = Array.from({ length: PROGRAMS }, () => this.newKey());
    this.forester = { key: this.newKey(), epochPda: this.newKey() };
  }

  wallet(): Pubkey {
    return this.someoneOrNew(this.wallets, NEWCOMER_SHARE);
  }

  mint(): Pubkey {
    return this.someoneOrNew(this.mints, NEW_MINT_SHARE);
  }

  newMint(): Pubkey {
    const mint = this.newKey();
    this.mints.push(mint);
    return mint;
  }

  program(): Pubkey {
    return this.random.pick(this.programs);
  }

  newKey(): Pubkey {
    return toPubkey(this.random.bytes(32));
  }

  /** An address of the program that nobody has taken. */
  newAddress(tree: AddressTree, program: Pubkey): RequestedAddress {
    const derive = tree.info.type === 'addressV1' ? deriveAddressV1 : deriveAddressV2;
    return { ...derive(tree.info.tree, program, [this.random.bytes(SEED_BYTES)]), tree };
  }

  /** 32 bytes below the field's modulus. */
  newHash(): Hash {
    const hash = this.random.bytes(32) as Hash;
    hash[0] = 0;
    return hash;
  }

  private someoneOrNew(keys: Pubkey[], newShare: number): Pubkey {
    if (keys.length === 0 || this.random.chance(newShare)) keys.push(this.newKey());
    return this.random.pick(keys);
  }
}
