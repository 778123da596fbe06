import { GrpcProverClient, PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Reader } from '@fresnel/adapters/store-read';
import { GatewayModule } from '@fresnel/features/gateway/nest';
import { CONFIG, createLogger, LOGGER, readConfig } from '@fresnel/platform';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { APP_CONFIG } from './app.config';
import { AppModule } from './app.module';

const ENV = {
  DATABASE_URL: 'postgres://127.0.0.1:1/x',
  PROVER_URL: '127.0.0.1:1',
  REDIS_URL: 'redis://127.0.0.1:1',
};

const LIMITER: RateLimiter & { close: () => void } = {
  limit: { points: 1, windowSeconds: 1 },
  consume: () => Promise.reject(new Error('unexpected call')),
  charge: () => Promise.reject(new Error('unexpected call')),
  close: jest.fn(),
};

function createBuilder(env: Record<string, string> = {}): TestingModuleBuilder {
  return Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(CONFIG)
    .useValue(readConfig(APP_CONFIG, { ...ENV, ...env }))
    .overrideProvider(LOGGER)
    .useValue(createLogger('silent'));
}

describe('AppModule', () => {
  let module: TestingModule;
  afterEach(() => module.close());

  it('composes the gateway with its database, provers and rate limiter', async () => {
    module = await createBuilder().overrideProvider(RATE_LIMITER).useValue(LIMITER).compile();
    expect(module.get(GatewayModule, { strict: false })).toBeInstanceOf(GatewayModule);
    expect(module.get(Reader, { strict: false })).toBeInstanceOf(Reader);
    expect(module.get(PROVER_CLIENT, { strict: false })).toBeInstanceOf(GrpcProverClient);
    expect(module.get(RATE_LIMITER, { strict: false })).toBe(LIMITER);
  });

  it('has no rate limiter when rate limits are disabled', async () => {
    module = await createBuilder({ RATE_LIMIT_ENABLED: 'false' }).compile();
    expect(module.get(RATE_LIMITER, { strict: false })).toBeNull();
  });

  it('closes its connections on shutdown', async () => {
    module = await createBuilder().overrideProvider(RATE_LIMITER).useValue(LIMITER).compile();
    await module.close();
    expect(LIMITER.close).toHaveBeenCalled();
    await expect(module.get<Reader>(Reader, { strict: false }).query({ name: 'x', text: '' }, [])).rejects.toThrow(
      'the reader is closed',
    );
  });
});
