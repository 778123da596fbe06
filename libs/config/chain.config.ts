import { type Commitment, COMMITMENTS } from '@fresnel/domain/chain';
import { LIVE_PROGRAMS, type ProgramSet } from '@fresnel/domain/events';
import { parsePubkey, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  addresses,
  flag,
  integer,
  oneOf,
  pubkey,
  type ConfigOf,
  secret,
  serverAddress,
  slot,
  text,
} from '@fresnel/platform';
import { HISTORY_CONFIG, type HistoryConfig, toHistoryConfig } from './history.config';

/** The owner field of the tree accounts on mainnet and devnet. */
const LIVE_TREE_OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');
const LIVE_ADDRESS_TREE = parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');
const MAINNET_DEFAULT = 'mainnet value, none with another ACCOUNT_COMPRESSION_PROGRAM_ID';

export const ADDRESS_TREE_CONFIG = {
  DEFAULT_ADDRESS_TREE: pubkey({
    default: LIVE_ADDRESS_TREE,
    desc: 'Address tree of proof requests without a tree',
  }),
};

export const TOKEN_PROGRAM_CONFIG = {
  COMPRESSED_TOKEN_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.compressedToken,
    desc: 'Compressed token program',
  }),
};

/** The source of blocks, and the programs and trees to index. */
export const CHAIN_CONFIG = {
  SOLANA_RPC_URL: {
    ...secret(
      addresses(
        'http:',
        'https:',
      )({
        default: undefined,
        desc: 'JSON-RPC endpoint of a Solana node; may contain an API key. Several are separated by commas: a request that fails or is refused goes to the next one',
      }),
    ),
    defaultInWords: 'the bundled demo ledger',
  },
  SOLANA_COMMITMENT: {
    ...oneOf(COMMITMENTS)({ default: undefined, desc: 'Commitment at which blocks and accounts are read' }),
    defaultInWords: 'finalized where the cluster runs Alpenglow, else confirmed',
  },
  YELLOWSTONE_URL: secret(
    serverAddress(
      'http:',
      'https:',
    )({
      default: undefined,
      desc: 'Yellowstone gRPC endpoint for new blocks; missing blocks are fetched over JSON-RPC',
    }),
  ),
  YELLOWSTONE_TOKEN: secret(text({ default: undefined, desc: 'x-token of the Yellowstone endpoint' })),
  INGEST_START_SLOT: {
    ...slot({ default: undefined, desc: 'First slot of a new index; an existing index resumes at its last slot' }),
    defaultInWords: 'first slot of ZK Compression on mainnet and devnet, else the first block of the node',
  },
  ...HISTORY_CONFIG,
  INGEST_CONCURRENCY: integer(1, 64)({ default: 8, desc: 'Blocks fetched concurrently' }),
  INGEST_POLL_INTERVAL_MS: integer(
    10,
    60_000,
  )({ default: 250, desc: 'Interval at which the node is polled for a new block' }),
  INGEST_DEAD_LETTER_RETRY_MS: integer(
    100,
    3_600_000,
  )({
    default: 10_000,
    desc: 'Pause before a dead letter is retried again; it doubles with each retry, up to an hour',
  }),
  ACCOUNT_COMPRESSION_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.accountCompression,
    desc: 'Account compression program, which owns trees and queues',
  }),
  LIGHT_SYSTEM_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.lightSystem,
    desc: 'Light system program',
  }),
  LIGHT_REGISTRY_PROGRAM_ID: {
    ...pubkey({ default: undefined, desc: 'Light registry program' }),
    defaultInWords: MAINNET_DEFAULT,
  },
  ...TOKEN_PROGRAM_CONFIG,
  NOOP_PROGRAM_ID: pubkey({ default: LIVE_PROGRAMS.noop, desc: 'Noop program; its instruction data are V1 events' }),
  REGISTERED_PROGRAM_PDA: {
    ...pubkey({
      default: undefined,
      desc: 'Registered program PDA of the Light system program; required to parse V2 events',
    }),
    defaultInWords: MAINNET_DEFAULT,
  },
  TREE_OWNER: {
    ...pubkey({
      default: undefined,
      desc: 'Owner of the trees to index; if not set, only the trees of TREES_FILE are indexed',
    }),
    defaultInWords: MAINNET_DEFAULT,
  },
  ...ADDRESS_TREE_CONFIG,
  TREES_FILE: text({ default: undefined, desc: 'JSON file with a list of trees to index' }),
};

/** The demo ledger as the source of a separate ingest process. */
export const DEMO_CONFIG = {
  INGEST_DEMO: flag({ default: false, desc: 'Index the bundled demo ledger instead of a chain' }),
};

export interface ChainConfig {
  /** Endpoints of one chain; undefined without a node. */
  rpcUrls: readonly string[] | undefined;
  /** Null to fetch all blocks over JSON-RPC. */
  yellowstone: { url: string; token: string | null } | null;
  startSlot: Slot | null;
  /** Where the past comes from; null: from the node. */
  history: HistoryConfig | null;
  /** Null: as the cluster says. */
  commitment: Commitment | null;
  concurrency: number;
  pollIntervalMs: number;
  programs: ProgramSet;
  /** Null to use the trees of `treesFile` only. */
  treeOwner: Pubkey | null;
  treesFile: string | undefined;
}

/** Applies the values of mainnet as defaults, but only if the account compression program is that of mainnet. */
export function toChainConfig(env: ConfigOf<typeof CHAIN_CONFIG>): ChainConfig {
  const isMainnetProgram = env.ACCOUNT_COMPRESSION_PROGRAM_ID.equals(LIVE_PROGRAMS.accountCompression);
  const orMainnetValue = (key: Pubkey | undefined, live: Pubkey | null) => key ?? (isMainnetProgram ? live : null);
  return {
    rpcUrls: env.SOLANA_RPC_URL,
    yellowstone:
      env.YELLOWSTONE_URL === undefined ? null : { url: env.YELLOWSTONE_URL, token: env.YELLOWSTONE_TOKEN ?? null },
    startSlot: env.INGEST_START_SLOT ?? null,
    history: toHistoryConfig(env),
    commitment: env.SOLANA_COMMITMENT ?? null,
    concurrency: env.INGEST_CONCURRENCY,
    pollIntervalMs: env.INGEST_POLL_INTERVAL_MS,
    programs: {
      accountCompression: env.ACCOUNT_COMPRESSION_PROGRAM_ID,
      lightSystem: env.LIGHT_SYSTEM_PROGRAM_ID,
      lightRegistry: orMainnetValue(env.LIGHT_REGISTRY_PROGRAM_ID, LIVE_PROGRAMS.lightRegistry),
      compressedToken: env.COMPRESSED_TOKEN_PROGRAM_ID,
      noop: env.NOOP_PROGRAM_ID,
      registeredProgramPda: orMainnetValue(env.REGISTERED_PROGRAM_PDA, LIVE_PROGRAMS.registeredProgramPda),
    },
    treeOwner: orMainnetValue(env.TREE_OWNER, LIVE_TREE_OWNER),
    treesFile: env.TREES_FILE,
  };
}
