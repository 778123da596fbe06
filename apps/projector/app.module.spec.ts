import { BUS, KafkaBus } from '@fresnel/adapters/bus';
import { Database } from '@fresnel/adapters/store-schema';
import { ProjectorTask } from '@fresnel/features/projector/nest';
import { CONFIG, readConfig } from '@fresnel/platform';
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule } from './app.module';
import { APP_CONFIG } from './app.config';

const ENV = { KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/x', LOG_LEVEL: 'silent' };

describe('the projector module', () => {
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
    expect(module.get(ProjectorTask, { strict: false })).toBeInstanceOf(ProjectorTask);
  });

  it('compiles without a database, and reports that none is connected', async () => {
    expect(await module.get(Database).findFaults()).toEqual(['No connection to the database yet']);
  });
});
