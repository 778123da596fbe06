import { ConfigError, type Logger, splitService } from '@fresnel/platform';
import { now } from '@fresnel/platform/time';
import { type AppConfig } from '../app.config';
import { backfill } from './backfill.command';

export interface SnapshotContext {
  config: AppConfig;
  logger: Logger;
  shutdown: AbortSignal;
}

/** @returns the exit code */
export type SnapshotAction = (context: SnapshotContext) => Promise<number>;

export interface ReadingOptions {
  /** URLs with `snapshot+`; empty: those of HISTORY_URL. */
  mirrors: readonly string[];
  /** The manifest to accept; null: any. */
  sha256: string | null;
  samples: number;
  json: boolean;
}

const DATABASE_TIMEOUT_MS = 60_000;
const PROGRESS_INTERVAL_MS = 5_000;

export function makeAction(folder: string, json: boolean): SnapshotAction {
  return async ({ config, logger, shutdown }) => {
    const { SnapshotFolder } = await import('@fresnel/adapters/chain/history');
    const { Reader } = await import('@fresnel/adapters/store-read');
    const { HistoryStore, ProjectionStore } = await import('@fresnel/adapters/store-write');
    const { PostgresTreeReads } = await import('@fresnel/adapters/tree-store');
    const { makeSnapshot } = await import('@fresnel/features/operations');
    const { openOperatorDatabase } = await import('../operator-database.js');
    const database = await openOperatorDatabase(config, logger);
    const { url, dataSource } = database;
    const options = { url, connections: 1, timeoutMs: DATABASE_TIMEOUT_MS, applicationName: 'fresnel-operator' };
    const reader = new Reader(options);
    try {
      const parts = {
        reader,
        tables: new ProjectionStore(dataSource),
        history: new HistoryStore(dataSource),
        trees: new PostgresTreeReads(dataSource.manager),
        folder: await SnapshotFolder.open(folder),
        onProgress: sparsely((progress: object) => {
          logger.info(progress, 'writing a snapshot');
        }),
      };
      const made = await makeSnapshot(parts, shutdown);
      const { from, to, chunks, newChunks, transactions, trees, bytes, manifestSha256 } = made;
      const text = `slots ${from} to ${to}, ${transactions} transactions, ${trees} trees, ${toMb(bytes)} in ${chunks} chunks (${newChunks} new)
manifest sha256 ${manifestSha256}`;
      console.log(json ? JSON.stringify(made, null, 2) : text);
      return 0;
    } finally {
      await reader.close();
      await database.close();
    }
  };
}

export function loadAction(options: ReadingOptions): SnapshotAction {
  return async (context) => {
    const { logger, shutdown } = context;
    const config = toHistory(context.config, options);
    if (config.SOLANA_RPC_URL === undefined) throw new ConfigError('snapshot load requires SOLANA_RPC_URL');
    const { PostgresTreeReads } = await import('@fresnel/adapters/tree-store');
    const { compareLoadedTrees } = await import('@fresnel/features/operations');
    const source = await openSource(config, logger);
    const comparison = await compare(source, config, options.samples, context);
    logger.info(comparison, 'the snapshot was compared with the chain');
    const manifest = await source.readManifest(shutdown);
    return backfill(config, options, logger, shutdown, async ({ bus, dataSource }) => {
      await bus.waitUntilDrained(shutdown);
      shutdown.throwIfAborted();
      compareLoadedTrees(manifest, await new PostgresTreeReads(dataSource.manager).listHeads());
      logger.info({ trees: manifest.trees.length }, 'the snapshot is loaded: its trees are those of its manifest');
    });
  };
}

export function verifyAction(options: ReadingOptions): SnapshotAction {
  return async (context) => {
    const { logger, shutdown } = context;
    const config = toHistory(context.config, options);
    const { verifySnapshot } = await import('@fresnel/features/operations');
    const source = await openSource(config, logger);
    const onChunk = sparsely((checked: number, all: number) => {
      logger.info({ checked, all }, 'checking the chunks of a snapshot');
    });
    const { manifest, transactions, bytes } = await verifySnapshot(source, onChunk, shutdown);
    const comparison =
      config.SOLANA_RPC_URL === undefined ? null : await compare(source, config, options.samples, context);
    const { from, anchor, chunks, madeBy } = manifest;
    const found = { from, to: anchor.slot, madeBy, chunks: chunks.length, transactions, bytes, comparison };
    const files = `slots ${from} to ${anchor.slot}, ${transactions} transactions in ${chunks.length} chunks: all have the hashes of the manifest`;
    console.log(options.json ? JSON.stringify(found, null, 2) : `${files}\n${describe(comparison)}`);
    return 0;
  };
}

export function serveAction(options: { folder: string; host: string; port: number }): SnapshotAction {
  return async ({ logger, shutdown }) => {
    const { whenAborted } = await import('@fresnel/platform');
    const { serveSnapshot } = await import('@fresnel/features/operations');
    const server = await serveSnapshot(options, logger);
    logger.info({ url: server.url, folder: options.folder }, 'serving a snapshot');
    await whenAborted(shutdown);
    await server.close();
    return 0;
  };
}

/** The configuration with mirrors as the first sources of history. */
function toHistory(config: AppConfig, { mirrors, sha256 }: ReadingOptions): AppConfig {
  const urls = [...mirrors, ...(config.HISTORY_URL ?? [])];
  if (splitService(urls.at(0) ?? '').service !== 'snapshot') {
    throw new ConfigError('a snapshot is required: name a MIRROR, or set HISTORY_URL to snapshot+ and the URL of one');
  }
  return { ...config, HISTORY_URL: urls, HISTORY_SNAPSHOT_SHA256: sha256 ?? config.HISTORY_SNAPSHOT_SHA256 };
}

async function openSource(config: AppConfig, logger: Logger) {
  const { openSnapshot } = await import('@fresnel/adapters/chain/history');
  const { toChainConfig } = await import('@fresnel/config');
  const { programs } = toChainConfig(config);
  const mirrors = (config.HISTORY_URL ?? []).map(splitService).filter(({ service }) => service === 'snapshot');
  const snapshotSha256 = config.HISTORY_SNAPSHOT_SHA256 ?? null;
  return openSnapshot({ urls: mirrors.map(({ url }) => url), snapshotSha256 }, programs.accountCompression, logger);
}

type Source = Awaited<ReturnType<typeof openSource>>;

async function compare(source: Source, config: AppConfig, samples: number, { logger, shutdown }: SnapshotContext) {
  const { TransactionParser } = await import('@fresnel/domain/events');
  const { compareWithChain } = await import('@fresnel/features/operations');
  const { toChainConfig } = await import('@fresnel/config');
  const { openSnapshotNode } = await import('../snapshot-node.js');
  const node = openSnapshotNode(config.SOLANA_RPC_URL ?? [], config, logger);
  const parser = new TransactionParser(toChainConfig(config).programs);
  return compareWithChain(source, node, parser, { samples, signal: shutdown });
}

type Comparison = Awaited<ReturnType<typeof compare>>;

function describe(comparison: Comparison | null): string {
  if (!comparison) return 'not compared with the chain: SOLANA_RPC_URL is not set';
  const { isAnchorKnown, trees, equalTrees, transactions, equalTransactions } = comparison;
  const anchor = isAnchorKnown ? 'the chain has its last block' : 'the node has its last block no more';
  return `${anchor}; equal to the chain: ${equalTrees} of ${trees} roots, ${equalTransactions} of ${transactions} random transactions; the node has the others no more`;
}

/** Calls at most every few seconds. */
function sparsely<Values extends unknown[]>(report: (...values: Values) => void): (...values: Values) => void {
  let reportedAt = now();
  return (...values) => {
    if (now() - reportedAt < PROGRESS_INTERVAL_MS) return;
    reportedAt = now();
    report(...values);
  };
}

function toMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
