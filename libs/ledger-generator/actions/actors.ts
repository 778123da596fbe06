import { type Hash, type Pubkey, toPubkey } from '@fresnel/domain/primitives';
import { type RequestedAddress } from '../chain/compute-transition';
import { deriveAddressV1, deriveAddressV2 } from '../hashing/address';
import { type Forester } from '../instructions/forester-instructions';
import { type Random } from '../random';
import { type AddressTree } from '../trees/address-tree';

const INITIAL_WALLETS = 16;
const PROGRAMS = 4;
const NEW_WALLET_SHARE = 0.06;
const NEW_MINT_SHARE = 0.12;
const SEED_BYTES = 16;

/** The wallets, programs and mints of a ledger, and its forester. Wallets and mints are added while blocks are generated. */
export class Actors {
  /** User programs that own compressed accounts. */
  readonly programs: readonly Pubkey[];
  readonly forester: Forester;
  private readonly wallets: Pubkey[];
  private readonly mints: Pubkey[] = [];

  constructor(private readonly random: Random) {
    this.wallets = Array.from({ length: INITIAL_WALLETS }, () => this.newKey());
    this.programs = Array.from({ length: PROGRAMS }, () => this.newKey());
    this.forester = { key: this.newKey(), epochPda: this.newKey() };
  }

  /** A random wallet, sometimes a new one. */
  pickWallet(): Pubkey {
    return this.pickOrCreate(this.wallets, NEW_WALLET_SHARE);
  }

  /** A random mint, sometimes a new one. */
  pickMint(): Pubkey {
    return this.pickOrCreate(this.mints, NEW_MINT_SHARE);
  }

  newMint(): Pubkey {
    const mint = this.newKey();
    this.mints.push(mint);
    return mint;
  }

  /** A random user program. */
  pickProgram(): Pubkey {
    return this.random.pick(this.programs);
  }

  newKey(): Pubkey {
    return toPubkey(this.random.bytes(32));
  }

  /** An unused address that the program derives from random seeds. */
  newAddress(tree: AddressTree, program: Pubkey): RequestedAddress {
    const derive = tree.info.type === 'addressV1' ? deriveAddressV1 : deriveAddressV2;
    return { ...derive(tree.info.tree, program, [this.random.bytes(SEED_BYTES)]), tree };
  }

  /** 32 random bytes below the field modulus. */
  newFieldElement(): Hash {
    const hash = this.random.bytes(32) as Hash;
    hash[0] = 0;
    return hash;
  }

  private pickOrCreate(keys: Pubkey[], newShare: number): Pubkey {
    if (keys.length === 0 || this.random.chance(newShare)) keys.push(this.newKey());
    return this.random.pick(keys);
  }
}
