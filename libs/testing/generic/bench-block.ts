import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readConfig, text } from '@fresnel/platform';

/** Path of a recorded block that benches use; empty if there is none. */
export const { FRESNEL_BENCH_BLOCK: BENCH_BLOCK_FILE } = readConfig({
  FRESNEL_BENCH_BLOCK: text({
    default: '',
    desc: 'A recorded block for benches: a file with the result of getBlock in JSON, may be gzipped',
  }),
});

/** The recorded block, as the JSON text of a `getBlock` result. */
export function readBenchBlock(): Buffer {
  const bytes = readFileSync(BENCH_BLOCK_FILE);
  return BENCH_BLOCK_FILE.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
