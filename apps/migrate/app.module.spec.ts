import { BackgroundTasks, CONFIG, LOGGER, type Logger, readConfig } from '@fresnel/platform';
import { until } from '@fresnel/testing/generic';
import { Test, type TestingModule } from '@nestjs/testing';
import { AppModule, type MigrateCommand } from './app.module';
import { APP_CONFIG } from './app.config';

const ENV = { KAFKA_BROKERS: '127.0.0.1:1', DATABASE_URL: 'postgres://127.0.0.1:1/x', LOG_LEVEL: 'silent' };

describe('the migrate module', () => {
  const compile = (command: MigrateCommand): Promise<TestingModule> =>
    Test.createTestingModule({ imports: [AppModule.register(command)] })
      .overrideProvider(CONFIG)
      .useValue(readConfig(APP_CONFIG, ENV))
      .compile();

  it('fails without a database, if it resets positions', async () => {
    const module = await compile('reset-positions');
    await module.init();
    await expect(module.get(BackgroundTasks).whenEnded()).rejects.toThrow('cannot connect to Postgres');
    await module.close();
  });

  it('waits for a database, if it migrates, until it is stopped', async () => {
    const module = await compile('migrate');
    const warn = jest.spyOn(module.get<Logger>(LOGGER), 'warn');
    await module.init();
    const ended = module.get(BackgroundTasks).whenEnded();
    await until(() => warn.mock.calls.length > 1, [ended]);
    expect(warn.mock.calls[0]).toMatchObject([
      { reason: expect.stringMatching('cannot connect to Postgres at 127.0.0.1:1') as string },
      'dependency unavailable, retrying',
    ]);
    await module.close();
    await expect(ended).rejects.toThrow('aborted');
  });
});
