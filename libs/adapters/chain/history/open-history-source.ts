import { type Pubkey } from '@fresnel/domain/primitives';
import { ConfigError, type Logger, splitService } from '@fresnel/platform';
import { GtfaSource } from './gtfa.source';
import { type HistorySource } from './history-source';
import { SnapshotSource } from './snapshot/snapshot.source';
import { SqdSource } from './sqd.source';

/** Of a whole answer, or of each part of a stream. */
const TIMEOUT_MS = 60_000;
const BACKOFF = { firstMs: 100, longestMs: 10_000 };

export interface HistorySourcesOptions {
  urls: readonly string[];
  /** The manifest of the snapshot to accept, in hex; null: any. */
  snapshotSha256: string | null;
}

/**
 * Opens the sources of history. Snapshots are mirrors of one, which comes first.
 *
 * @param program the account compression program
 * @throws ConfigError if a snapshot follows another source
 */
export function openHistorySources(
  { urls, snapshotSha256 }: HistorySourcesOptions,
  program: Pubkey,
  logger: Logger,
): [HistorySource, ...HistorySource[]] {
  const split = urls.map(splitService);
  const mirrors = split.filter(({ service }) => service === 'snapshot').map(({ url }) => url);
  if (split.slice(0, mirrors.length).some(({ service }) => service !== 'snapshot')) {
    throw new ConfigError('HISTORY_URL: snapshots come before other sources, which are asked for what they lack');
  }
  const others = urls.slice(mirrors.length).map((url) => openHistorySource(url, program, logger));
  const snapshots = mirrors.length === 0 ? [] : [openSnapshot({ urls: mirrors, snapshotSha256 }, program, logger)];
  const [first, ...rest] = [...snapshots, ...others];
  return [first, ...rest];
}

/**
 * Opens a snapshot.
 *
 * @param options the URLs are those of mirrors, at least one, and have no `snapshot+`
 * @param program the account compression program
 */
export function openSnapshot(
  { urls, snapshotSha256: manifestSha256 }: HistorySourcesOptions,
  program: Pubkey,
  logger: Logger,
): SnapshotSource {
  return new SnapshotSource({ urls, manifestSha256, program, timeoutMs: TIMEOUT_MS, backoff: BACKOFF }, logger);
}

/**
 * Opens a source of history that is no snapshot.
 *
 * @param url an endpoint with `getTransactionsForAddress`, or `sqd+` before the URL of a data set of a Portal
 * @param program the account compression program
 */
export function openHistorySource(url: string, program: Pubkey, logger: Logger): HistorySource {
  const { service, url: endpoint } = splitService(url);
  const options = { url: endpoint, timeoutMs: TIMEOUT_MS, backoff: BACKOFF };
  return service === 'sqd' ? new SqdSource({ ...options, program }, logger) : new GtfaSource(options, logger);
}
