import { BUS, KafkaBus } from '@fresnel/adapters/bus';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { RedisTreeStore, TREE_STORE } from '@fresnel/adapters/tree-store';
import { ProverService } from '@fresnel/features/prover';
import { PROVER_TASK } from '@fresnel/features/prover/nest';
import { BackgroundTask, CONFIG, readConfig } from '@fresnel/platform';
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule } from './app.module';
import { APP_CONFIG } from './app.config';

const ENV = { KAFKA_BROKERS: '127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'silent' };

describe('the prover module', () => {
  let module: TestingModule;
  beforeAll(async () => {
    module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(CONFIG)
      .useValue(readConfig(APP_CONFIG, ENV))
      .compile();
  });
  afterAll(() => module.close());

  it('consumes Kafka in a background task', () => {
    expect(module.get(BUS)).toBeInstanceOf(KafkaBus);
    expect(module.get(PROVER_TASK)).toBeInstanceOf(BackgroundTask);
  });

  it('serves proofs of the trees in Redis', () => {
    expect(module.get(TREE_STORE)).toBeInstanceOf(RedisTreeStore);
    expect(module.get(PROVER_CLIENT)).toBeInstanceOf(ProverService);
  });
});
