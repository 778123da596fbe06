import { integer, slot } from '@fresnel/platform';

/** How ingest publishes to Kafka. */
export const INGEST_CONFIG = {
  INGEST_MAX_LAG: integer(
    1,
    1_000_000_000,
  )({
    default: 50_000,
    desc: 'Records of one partition by which projectors and provers may be behind before ingest waits for them',
  }),
};

/** How ingest follows the chain. */
export const FOLLOW_CONFIG = {
  INGEST_PAUSE_SLOT: {
    ...slot({
      default: undefined,
      desc: 'Publish no block after the first one at or above this slot. Two indexes that pause at one slot give the same answers until gateways have changed from one to the other',
    }),
    defaultInWords: 'none',
  },
};
