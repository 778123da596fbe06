import { poseidonBatch } from '@fresnel/domain/poseidon';
import { type Bench } from '@fresnel/testing/generic';
import { testAddress } from '@fresnel/testing/trees';
import { WorkerPool } from './worker-pool';

const PAIRS = 4_096;

export const bench: Bench = {
  title: 'Poseidon of 2 inputs in worker threads',
  data: `one batch of ${PAIRS.toLocaleString('en')} pairs`,
  unit: 'hashes',
  prepare: () => {
    const pairs = Buffer.concat(Array.from({ length: 2 * PAIRS }, (_, at) => testAddress(at)));
    const pools = [2, 1].map((threads) => ({ threads, pool: new WorkerPool({ threads }) }));
    const inPools = pools.map(({ threads, pool }) => ({
      name: `${threads} thread${threads > 1 ? 's' : ''}`,
      run: async () => {
        await pool.hashBatch(2, pairs);
        return PAIRS;
      },
    }));
    const inline = {
      name: 'calling thread',
      run: () => {
        poseidonBatch(2, pairs);
        return Promise.resolve(PAIRS);
      },
    };
    return Promise.resolve({
      ways: [...inPools, inline],
      close: async () => {
        for (const { pool } of pools) await pool.close();
      },
    });
  },
};
