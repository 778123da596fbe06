import { addresses, type ConfigOf, integer, secret, text } from '@fresnel/platform';

/** Where a new index reads past transactions. */
export const HISTORY_CONFIG = {
  HISTORY_URL: {
    ...secret(
      addresses(
        'https:',
        'http:',
        'sqd+https:',
        'sqd+http:',
        'snapshot+https:',
        'snapshot+http:',
        'snapshot+file:',
      )({
        default: undefined,
        desc: 'Source of the transactions before the start of a new index: an endpoint with getTransactionsForAddress, or sqd+ and the URL of a data set of an SQD Portal, or snapshot+ and the URL of a folder with a snapshot. Others, after commas, are asked for what it lacks',
      }),
    ),
    defaultInWords: 'none: each past block is fetched from SOLANA_RPC_URL',
  },
  HISTORY_SNAPSHOT_SHA256: {
    ...text({
      default: undefined,
      desc: 'SHA-256 of the manifest of the snapshot in HISTORY_URL, as "snapshot make" prints it',
    }),
    defaultInWords: 'any: what a mirror has is compared with the chain',
  },
  HISTORY_ANCHOR_DISTANCE: integer(
    32,
    1_000_000,
  )({
    default: 1_000,
    desc: 'How many slots below the chain tip history ends, at least: from there on blocks come from the node',
  }),
  HISTORY_CONCURRENCY: integer(1, 64)({ default: 3, desc: 'Parts of history that are read at the same time' }),
};

export interface HistoryConfig {
  /** The primary source first. */
  urls: readonly string[];
  /** The manifest of a snapshot to accept, in hex; null: any. */
  snapshotSha256: string | null;
  /** How many slots below the chain tip history ends. */
  anchorDistance: number;
  /** Parts that are read at the same time. */
  concurrency: number;
}

/** @returns null without a source */
export function toHistoryConfig(env: ConfigOf<typeof HISTORY_CONFIG>): HistoryConfig | null {
  if (env.HISTORY_URL === undefined) return null;
  return {
    urls: env.HISTORY_URL,
    snapshotSha256: env.HISTORY_SNAPSHOT_SHA256 ?? null,
    anchorDistance: env.HISTORY_ANCHOR_DISTANCE,
    concurrency: env.HISTORY_CONCURRENCY,
  };
}
