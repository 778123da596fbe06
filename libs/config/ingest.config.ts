import { integer } from '@fresnel/platform';

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
