import { BUS, KafkaBus } from '@fresnel/adapters/bus';
import { FollowTask, RepairTask } from '@fresnel/features/ingest/nest';
import { BackgroundTask, CONFIG, readConfig } from '@fresnel/platform';
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule } from './app.module';
import { APP_CONFIG } from './app.config';

const ENV = {
  KAFKA_BROKERS: '127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1:1/x',
  INGEST_DEMO: 'true',
  LOG_LEVEL: 'silent',
};

describe('the ingest module', () => {
  let module: TestingModule;
  beforeAll(async () => {
    module = await Test.createTestingModule({ imports: [AppModule] })
      .overrideProvider(CONFIG)
      .useValue(readConfig(APP_CONFIG, ENV))
      .compile();
  });
  afterAll(() => module.close());

  it('publishes to Kafka and repairs in background tasks', () => {
    expect(module.get(BUS)).toBeInstanceOf(KafkaBus);
    for (const task of [FollowTask, RepairTask])
      expect(module.get<BackgroundTask>(task, { strict: false })).toBeInstanceOf(task);
  });
});
