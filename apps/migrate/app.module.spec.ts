import { BackgroundTasks, CONFIG, readConfig } from '@fresnel/platform';
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule, type MigrateCommand } from './app.module';
import { APP_CONFIG } from './app.config';

const ENV = { KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/x', LOG_LEVEL: 'silent' };

describe.each<MigrateCommand>(['migrate', 'reset-positions'])('the migrate module, for %s', (command) => {
  let module: TestingModule;
  beforeAll(async () => {
    module = await Test.createTestingModule({ imports: [AppModule.register(command)] })
      .overrideProvider(CONFIG)
      .useValue(readConfig(APP_CONFIG, ENV))
      .compile();
  });
  afterAll(() => module.close());

  it('fails with the error of the migration', async () => {
    await module.init();
    await expect(module.get(BackgroundTasks).whenEnded()).rejects.toThrow('cannot connect to Postgres');
  });
});
