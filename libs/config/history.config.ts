import { addresses, type ConfigOf, secret } from '@fresnel/platform';

/** Where a new index reads past transactions. */
export const HISTORY_CONFIG = {
  HISTORY_URL: secret(
    addresses(
      'https:',
      'http:',
      'sqd+https:',
      'sqd+http:',
    )({
      default: undefined,
      desc: 'Source of the transactions before the start of a new index: an endpoint with getTransactionsForAddress, or sqd+ and the URL of a data set of an SQD Portal. Others, after commas, are asked for what it lacks',
    }),
  ),
};

/** The sources of history, the primary one first; empty without any. */
export function toHistoryUrls(config: ConfigOf<typeof HISTORY_CONFIG>): readonly string[] {
  return config.HISTORY_URL ?? [];
}
