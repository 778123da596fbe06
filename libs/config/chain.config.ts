import { LIVE_PROGRAMS, type ProgramSet } from '@fresnel/domain/events';
import { parsePubkey, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { address, flag, integer, pubkey, type readConfig, slot, text } from '@fresnel/platform';

/** Owner inside the accounts of the trees that are live on mainnet and devnet. */
const LIVE_TREE_OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');
const LIVE_ADDRESS_TREE = parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');
const WITH_LIVE_PROGRAMS = 'that of the live deployment, none with another ACCOUNT_COMPRESSION_PROGRAM_ID';

export const ADDRESS_TREE_CONFIG = {
  DEFAULT_ADDRESS_TREE: pubkey({
    default: LIVE_ADDRESS_TREE,
    desc: 'Address tree of proof requests that name none',
  }),
};

export const TOKEN_PROGRAM_CONFIG = {
  COMPRESSED_TOKEN_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.compressedToken,
    desc: 'Program that owns compressed token accounts',
  }),
};

/** Where blocks come from, and which programs and trees count in them. */
export const CHAIN_CONFIG = {
  SOLANA_RPC_URL: {
    ...address('http:', 'https:')({ default: undefined, desc: 'Solana node to index from; may hold an API key' }),
    defaultInWords: 'the demo ledger that comes with Fresnel',
  },
  YELLOWSTONE_URL: address(
    'http:',
    'https:',
  )({ default: undefined, desc: 'Yellowstone gRPC to hear of blocks from; what it does not give comes over RPC' }),
  YELLOWSTONE_TOKEN: text({ default: undefined, desc: 'Its x-token' }),
  INGEST_START_SLOT: {
    ...slot({ default: undefined, desc: 'First slot of a new index; an index that exists goes on where it was' }),
    defaultInWords: 'where ZK Compression begins on mainnet and devnet, else the first block of the node',
  },
  INGEST_CONCURRENCY: integer(1, 64)({ default: 8, desc: 'Blocks fetched at the same time' }),
  INGEST_POLL_INTERVAL_MS: integer(10, 60_000)({ default: 250, desc: 'Pause between two looks for a new block' }),
  ACCOUNT_COMPRESSION_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.accountCompression,
    desc: 'Program that owns trees and queues',
  }),
  LIGHT_SYSTEM_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.lightSystem,
    desc: 'Program that makes state transitions',
  }),
  LIGHT_REGISTRY_PROGRAM_ID: {
    ...pubkey({ default: undefined, desc: 'Program that acts for foresters' }),
    defaultInWords: WITH_LIVE_PROGRAMS,
  },
  ...TOKEN_PROGRAM_CONFIG,
  NOOP_PROGRAM_ID: pubkey({ default: LIVE_PROGRAMS.noop, desc: 'Program whose instruction data are events' }),
  REGISTERED_PROGRAM_PDA: {
    ...pubkey({
      default: undefined,
      desc: 'The light system program’s registration; without it there are no V2 events',
    }),
    defaultInWords: WITH_LIVE_PROGRAMS,
  },
  TREE_OWNER: {
    ...pubkey({ default: undefined, desc: 'Owner of the trees to index; without it they come from TREES_FILE alone' }),
    defaultInWords: WITH_LIVE_PROGRAMS,
  },
  ...ADDRESS_TREE_CONFIG,
  TREES_FILE: text({ default: undefined, desc: 'JSON list of trees that are known from the start' }),
};

/** Of an ingest that runs by itself. */
export const DEMO_CONFIG = {
  INGEST_DEMO: flag({ default: false, desc: 'Index the demo ledger that comes with Fresnel instead of a chain' }),
};

export interface ChainConfig {
  rpcUrl: string | undefined;
  /** Null: blocks are asked for over RPC alone. */
  yellowstone: { url: string; token: string | null } | null;
  startSlot: Slot | null;
  concurrency: number;
  pollIntervalMs: number;
  programs: ProgramSet;
  /** Null: trees are not looked up on the chain. */
  treeOwner: Pubkey | null;
  defaultAddressTree: Pubkey;
  treesFile: string | undefined;
}

/** What belongs to the live deployment is the default only together with its account compression program. */
export function toChainConfig(given: ReturnType<typeof readConfig<typeof CHAIN_CONFIG>>): ChainConfig {
  const isLive = given.ACCOUNT_COMPRESSION_PROGRAM_ID.equals(LIVE_PROGRAMS.accountCompression);
  const orLive = (key: Pubkey | undefined, live: Pubkey | null) => key ?? (isLive ? live : null);
  return {
    rpcUrl: given.SOLANA_RPC_URL,
    yellowstone:
      given.YELLOWSTONE_URL === undefined
        ? null
        : { url: given.YELLOWSTONE_URL, token: given.YELLOWSTONE_TOKEN ?? null },
    startSlot: given.INGEST_START_SLOT ?? null,
    concurrency: given.INGEST_CONCURRENCY,
    pollIntervalMs: given.INGEST_POLL_INTERVAL_MS,
    programs: {
      accountCompression: given.ACCOUNT_COMPRESSION_PROGRAM_ID,
      lightSystem: given.LIGHT_SYSTEM_PROGRAM_ID,
      lightRegistry: orLive(given.LIGHT_REGISTRY_PROGRAM_ID, LIVE_PROGRAMS.lightRegistry),
      compressedToken: given.COMPRESSED_TOKEN_PROGRAM_ID,
      noop: given.NOOP_PROGRAM_ID,
      registeredProgramPda: orLive(given.REGISTERED_PROGRAM_PDA, LIVE_PROGRAMS.registeredProgramPda),
    },
    treeOwner: orLive(given.TREE_OWNER, LIVE_TREE_OWNER),
    defaultAddressTree: given.DEFAULT_ADDRESS_TREE,
    treesFile: given.TREES_FILE,
  };
}
