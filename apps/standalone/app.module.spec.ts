import { BUS, InMemoryBus } from '@fresnel/adapters/bus';
import { type StoredTimes } from '@fresnel/adapters/chain';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { Reader } from '@fresnel/adapters/store-read';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectionStore } from '@fresnel/adapters/store-write';
import { TREE_STORE } from '@fresnel/adapters/tree-store';
import { openDemoChain } from '@fresnel/demo';
import { toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { RESUME_POINT, StoredResumePoint } from '@fresnel/features/ingest';
import { FollowTask, RepairTask } from '@fresnel/features/ingest/nest';
import { ProjectorTask } from '@fresnel/features/projector/nest';
import { ProverService } from '@fresnel/features/prover';
import { ProverTask } from '@fresnel/features/prover/nest';
import { BackgroundTask, CONFIG, readConfig } from '@fresnel/platform';
import { Test, type TestingModule } from '@nestjs/testing';
import { APP_CONFIG } from './app.config';
import { ServingAppModule } from './app.module';
import { OpenDatabase } from './database';
import { type DatabaseServer } from './database-server';
import { type StoredChain } from './select-chain';

const URL = 'postgres://127.0.0.1:1/x';

describe('the standalone module', () => {
  const close = jest.fn();
  const findBlockTimes = jest.fn(() => Promise.resolve([1_700_000_000]));
  let storedTimes: StoredTimes;
  let module: TestingModule;
  beforeAll(async () => {
    const { dataSource } = Database.create({ url: URL, poolSize: 1, applicationName: 'test' });
    const server = new Promise<DatabaseServer>(() => undefined);
    const openChain = (stored: StoredChain) => {
      ({ storedTimes } = stored);
      return openDemoChain();
    };
    const root = ServingAppModule.register({ openChain, server });
    module = await Test.createTestingModule({ imports: [root] })
      .overrideProvider(CONFIG)
      .useValue(readConfig(APP_CONFIG, { LOG_LEVEL: 'silent' }))
      .overrideProvider(OpenDatabase)
      .useValue({ url: URL, dataSource, migrations: [], failed: new Promise(() => undefined), close })
      .overrideProvider(ProjectionStore)
      .useValue({ findPosition: () => Promise.resolve(null), findBlockTimes })
      .overrideProvider(TREE_STORE)
      .useValue({ findPosition: () => Promise.resolve(null) })
      .compile();
  });

  it('opens the chain with the times of the stored blocks', async () => {
    const block = { slot: toSlot(7), blockhash: ZERO_HASH };
    expect(await storedTimes(block, 2)).toEqual([1_700_000_000]);
    expect(findBlockTimes).toHaveBeenCalledWith(block, 2);
  });

  it('composes ingest, projector, prover and gateway with an in-memory bus', () => {
    const get = (token: symbol | typeof Reader): unknown => module.get(token, { strict: false });
    expect(get(BUS)).toBeInstanceOf(InMemoryBus);
    for (const task of [FollowTask, RepairTask, ProjectorTask, ProverTask])
      expect(module.get<BackgroundTask>(task, { strict: false })).toBeInstanceOf(task);
    expect(get(PROVER_CLIENT)).toBeInstanceOf(ProverService);
    expect(get(RESUME_POINT)).toBeInstanceOf(StoredResumePoint);
    expect(get(Reader)).toBeInstanceOf(Reader);
  });

  it('closes the database on shutdown', async () => {
    await module.close();
    expect(close).toHaveBeenCalled();
  });
});
