import { parsePubkey, type Pubkey } from '@fresnel/domain/primitives';

/** The ids of the programs of one deployment of ZK Compression. */
export interface ProgramSet {
  /** Owner of every tree and queue. */
  accountCompression: Pubkey;
  /** Executes state transitions. */
  lightSystem: Pubkey;
  /** Used by foresters; null if the deployment has none. */
  lightRegistry: Pubkey | null;
  /** Owner of compressed token accounts. */
  compressedToken: Pubkey;
  /** Receives events as instruction data. */
  noop: Pubkey;
  /** The light system program's registration with the compression program; null: the deployment has no V2 events. */
  registeredProgramPda: Pubkey | null;
}

/** The deployment on mainnet and devnet. */
export const LIVE_PROGRAMS = {
  accountCompression: parsePubkey('compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq'),
  lightSystem: parsePubkey('SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7'),
  lightRegistry: parsePubkey('Lighton6oQpVkeewmo2mcPTQQp7kYHr4fWpAgJyEmDX'),
  compressedToken: parsePubkey('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m'),
  noop: parsePubkey('noopb9bkMVfRPU8AsbpTUg8AQkHtKwMYZiFUjNRtMmV'),
  registeredProgramPda: parsePubkey('35hkDgaAKwMCaxRz2ocSZ6NaUrtKkyNqU6c4RV3tYJRh'),
} as const satisfies ProgramSet;

/** Transfers fees between the instructions of a transition. */
export const SOLANA_SYSTEM_PROGRAM = parsePubkey('11111111111111111111111111111111');
