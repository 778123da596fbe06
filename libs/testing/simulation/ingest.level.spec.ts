import { INGEST_LEVEL } from './ingest.level';
import { runSeed } from './run-level';

describe('the simulation of two ingests and their nodes', () => {
  it('repeats a run by its seed', async () => {
    const first = await runSeed(INGEST_LEVEL, { seed: 1 });
    expect(await runSeed(INGEST_LEVEL, { seed: 1 })).toEqual(first);
  });
});
