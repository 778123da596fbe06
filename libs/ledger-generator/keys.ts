import { parsePubkey, type Pubkey } from '@fresnel/domain/primitives';

/** The programs of a generated ledger: the deployment on mainnet and devnet. */
export const GENERATED_PROGRAMS = {
  /** Owns every tree and queue. */
  accountCompression: parsePubkey('compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq'),
  /** Executes state transitions. */
  lightSystem: parsePubkey('SySTEM1eSU2p4BGQfQpimFEWWSC1XDFeun3Nqzz3rT7'),
  /** Authorizes foresters. */
  lightRegistry: parsePubkey('Lighton6oQpVkeewmo2mcPTQQp7kYHr4fWpAgJyEmDX'),
  /** Owner of compressed token accounts. */
  compressedToken: parsePubkey('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m'),
  /** Its instruction data contain the events. */
  noop: parsePubkey('noopb9bkMVfRPU8AsbpTUg8AQkHtKwMYZiFUjNRtMmV'),
  /** The light system program's registration with the compression program. */
  registeredProgramPda: parsePubkey('35hkDgaAKwMCaxRz2ocSZ6NaUrtKkyNqU6c4RV3tYJRh'),
} as const satisfies Record<string, Pubkey>;

/** Programs of Solana, and the SPL token program. */
export const SOLANA_PROGRAMS = {
  system: parsePubkey('11111111111111111111111111111111'),
  vote: parsePubkey('Vote111111111111111111111111111111111111111'),
  computeBudget: parsePubkey('ComputeBudget111111111111111111111111111111'),
  splToken: parsePubkey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'),
} as const satisfies Record<string, Pubkey>;

/** Singleton accounts that instructions of the programs above use. */
export const SINGLETONS = {
  /** Signs for the light system program. */
  compressionAuthority: parsePubkey('HwXnGK3tPkkVY6P439H2p68AxpeuWXd5PcrAxFpbmfbA'),
  tokenAuthority: parsePubkey('GXtd2izAiMJPwMEjfgTRH3d7k9mjn4Jq3JrWFv9gySYy'),
  registryAuthority: parsePubkey('27zfL6426bibq3b949DiEzUjaduEuZt6WZK369FKEYKG'),
  /** The registry's registration with the compression program. */
  registeredRegistryPda: parsePubkey('DumMsyvkaGJG4QnQ1BhTgvoRMXsgGxfpKDUCr22Xqu4w'),
  /** Holds the lamports of compressed accounts. */
  solPool: parsePubkey('CHK57ywWSDncAoRu1F8QgwYJeXuAJyyBYT4LixLXvMZ1'),
  /** CPI context account: stores parts of a transition between CPIs. */
  cpiContext: parsePubkey('cpi15BoVPKgEPw5o8wc2T816GE7b378nMXnhH3Xbq4y'),
} as const satisfies Record<string, Pubkey>;

/** An older deployment of the same programs, which an indexer of the current one must ignore. */
export const FOREIGN_PROGRAMS = {
  accountCompression: parsePubkey('CbjvJc1SNx1aav8tU49dJGHu8EUdzQJSMtkjDmV8miqK'),
  lightSystem: parsePubkey('H5sFv8VwWmjxHYS2GB4fTDsK7uTtnRT4WiixtHrET3bN'),
} as const satisfies Record<string, Pubkey>;
