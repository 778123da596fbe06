import { LIVE_PROGRAMS, type ProgramSet } from '@fresnel/domain/events';
import { parsePubkey, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import {
  address,
  flag,
  integer,
  LOG_LEVELS,
  type LogLevel,
  oneOf,
  pubkey,
  readSettings,
  slot,
  text,
} from '@fresnel/platform';

/** Owner inside the accounts of the trees that are live on mainnet and devnet. */
const LIVE_TREE_OWNER = parsePubkey('24rt4RgeyjUCWGS2eF7L7gyNMuz6JWdqYpAvb1KRoHxs');
const LIVE_ADDRESS_TREE = parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');
const WITH_LIVE_PROGRAMS = 'that of the live deployment, none with another ACCOUNT_COMPRESSION_PROGRAM_ID';

/** Every setting: its bounds, its default, and a sentence for people. */
export const SETTINGS = {
  SOLANA_RPC_URL: {
    ...address('http:', 'https:')({ default: undefined, desc: 'Solana node to index from; may hold an API key' }),
    defaultInWords: 'the demo ledger that comes with Fresnel',
  },
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
  COMPRESSED_TOKEN_PROGRAM_ID: pubkey({
    default: LIVE_PROGRAMS.compressedToken,
    desc: 'Program that owns compressed token accounts',
  }),
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
  DEFAULT_ADDRESS_TREE: pubkey({
    default: LIVE_ADDRESS_TREE,
    desc: 'Address tree of proof requests that name none',
  }),
  TREES_FILE: text({ default: undefined, desc: 'JSON list of trees that are known from the start' }),
  ACCEPT_TREE_GAPS: flag({
    default: false,
    desc: 'Serve proofs from trees of which a part was never seen; for recordings that begin inside a tree’s life',
  }),
  VALIDITY_PROVER_URL: address(
    'http:',
    'https:',
  )({
    default: undefined,
    desc: 'Prover for validity proofs; kept for the methods that will need it, not used yet',
  }),
  FRESNEL_DATA_DIR: {
    ...text({ default: undefined, desc: 'Folder of the embedded database' }),
    defaultInWords: '.fresnel/data, or .fresnel/demo for the demo ledger',
  },
  DATABASE_URL: {
    ...address('postgres:', 'postgresql:')({ default: undefined, desc: 'Postgres to use, version 15 or later' }),
    defaultInWords: 'an embedded one in FRESNEL_DATA_DIR',
  },
  DATABASE_POOL_SIZE: integer(2, 100)({ default: 8, desc: 'Connections for writing' }),
  GATEWAY_HOST: text({ default: '127.0.0.1', desc: 'Where the gateway listens; 0.0.0.0 for all interfaces' }),
  GATEWAY_PORT: integer(0, 65_535)({ default: 8784, desc: 'Port of the gateway; 0 takes a free one' }),
  GATEWAY_READ_CONNECTIONS: integer(1, 64)({ default: 4, desc: 'Connections for reading; each carries many requests' }),
  GATEWAY_MAX_BODY_BYTES: integer(1_024, 64 * 1024 * 1024)({ default: 1024 * 1024, desc: 'Largest request' }),
  GATEWAY_MAX_BATCH: integer(1, 10_000)({ default: 100, desc: 'Most calls in a batch' }),
  GATEWAY_REQUEST_TIMEOUT_MS: integer(100, 600_000)({ default: 10_000, desc: 'After so long a call is given up' }),
  GATEWAY_HEALTHY_LAG_SLOTS: integer(
    1,
    1_000_000,
  )({
    default: 20,
    desc: 'Further behind the chain than this the index says that it is not healthy',
  }),
  RATE_LIMIT_ENABLED: flag({ default: true, desc: 'Limit what one client address may ask' }),
  RATE_LIMIT_POINTS: integer(
    1,
    1_000_000_000,
  )({ default: 2_000, desc: 'Points of a window; a call costs one, a proof request more' }),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400)({ default: 10, desc: 'Length of a window' }),
  LOG_LEVEL: oneOf(LOG_LEVELS)({ default: 'info', desc: `One of ${LOG_LEVELS.join(', ')}` }),
};

/** The settings as the rest of the app uses them. */
export interface StandaloneSettings {
  rpcUrl: string | undefined;
  startSlot: Slot | null;
  concurrency: number;
  pollIntervalMs: number;
  programs: ProgramSet;
  /** Null: trees are not looked up on the chain. */
  treeOwner: Pubkey | null;
  defaultAddressTree: Pubkey;
  treesFile: string | undefined;
  acceptTreeGaps: boolean;
  /** Undefined: the command chooses. */
  dataDir: string | undefined;
  databaseUrl: string | undefined;
  poolSize: number;
  gateway: {
    host: string;
    port: number;
    readConnections: number;
    maxBodyBytes: number;
    maxBatchEntries: number;
    requestTimeoutMs: number;
    healthyLagSlots: number;
    rateLimit: { points: number; windowSeconds: number } | null;
  };
  logLevel: LogLevel;
}

/** Reads and checks all settings. @throws SettingsError that lists every problem */
export function readStandaloneSettings(): StandaloneSettings {
  const given = readSettings(SETTINGS);
  const isLive = given.ACCOUNT_COMPRESSION_PROGRAM_ID.equals(LIVE_PROGRAMS.accountCompression);
  const orLive = (key: Pubkey | undefined, live: Pubkey) => key ?? (isLive ? live : null);
  return {
    rpcUrl: given.SOLANA_RPC_URL,
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
    acceptTreeGaps: given.ACCEPT_TREE_GAPS,
    dataDir: given.FRESNEL_DATA_DIR,
    databaseUrl: given.DATABASE_URL,
    poolSize: given.DATABASE_POOL_SIZE,
    gateway: {
      host: given.GATEWAY_HOST,
      port: given.GATEWAY_PORT,
      readConnections: given.GATEWAY_READ_CONNECTIONS,
      maxBodyBytes: given.GATEWAY_MAX_BODY_BYTES,
      maxBatchEntries: given.GATEWAY_MAX_BATCH,
      requestTimeoutMs: given.GATEWAY_REQUEST_TIMEOUT_MS,
      healthyLagSlots: given.GATEWAY_HEALTHY_LAG_SLOTS,
      rateLimit: given.RATE_LIMIT_ENABLED
        ? { points: given.RATE_LIMIT_POINTS, windowSeconds: given.RATE_LIMIT_WINDOW_SECONDS }
        : null,
    },
    logLevel: given.LOG_LEVEL,
  };
}
