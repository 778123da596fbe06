import { parsePubkey, type Pubkey } from '@fresnel/domain/primitives';

/** The programs whose traces are read. Other deployments of the same programs have other ids. */
export interface ProgramSet {
  /** Owns every tree and queue. */
  accountCompression: Pubkey;
  /** Makes the state transitions. */
  lightSystem: Pubkey;
  /** Acts for foresters; null where the deployment has none. */
  lightRegistry: Pubkey | null;
  /** Owner of compressed token accounts. */
  compressedToken: Pubkey;
  /** Its instruction data are the events. */
  noop: Pubkey;
  /** The light system program's registration with the compression program; null: the deployment has no V2 events. */
  registeredProgramPda: Pubkey | null;
}

/** The deployment that is live on mainnet and devnet. */
export const LIVE_PROGRAMS = {
  accountCompression: parsePubkey('compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq'),
  lightSystem: parsePubkey('SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7'),
  lightRegistry: parsePubkey('Lighton6oQpVkeewmo2mcPTQQp7kYHr4fWpAgJyEmDX'),
  compressedToken: parsePubkey('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m'),
  noop: parsePubkey('noopb9bkMVfRPU8AsbpTUg8AQkHtKwMYZiFUjNRtMmV'),
  registeredProgramPda: parsePubkey('35hkDgaAKwMCaxRz2ocSZ6NaUrtKkyNqU6c4RV3tYJRh'),
} as const satisfies ProgramSet;

/** Moves the lamports of fees between the instructions of an event. */
export const SOLANA_SYSTEM_PROGRAM = parsePubkey('11111111111111111111111111111111');
