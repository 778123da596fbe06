import { type Pubkey } from '@fresnel/domain/primitives';
import { type Logger, splitService } from '@fresnel/platform';
import { GtfaSource } from './gtfa.source';
import { type HistorySource } from './history-source';
import { SqdSource } from './sqd.source';

/** Of a whole answer, or of each part of a stream. */
const TIMEOUT_MS = 60_000;
const BACKOFF = { firstMs: 100, longestMs: 10_000 };

/**
 * Opens a source of history.
 *
 * @param url an endpoint with `getTransactionsForAddress`, or `sqd+` before the URL of a data set of a Portal
 * @param program the account compression program
 */
export function openHistorySource(url: string, program: Pubkey, logger: Logger): HistorySource {
  const { service, url: endpoint } = splitService(url);
  const options = { url: endpoint, timeoutMs: TIMEOUT_MS, backoff: BACKOFF };
  return service === 'sqd' ? new SqdSource({ ...options, program }, logger) : new GtfaSource(options, logger);
}
