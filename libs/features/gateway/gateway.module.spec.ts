import { type ProverClient } from '@fresnel/adapters/prover-client';
import { type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Reader } from '@fresnel/adapters/store-read';
import { parsePubkey } from '@fresnel/domain/primitives';
import { createRegistry } from '@fresnel/platform';
import { Controller, Get, Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import pino from 'pino';
import { GATEWAY_DEFAULTS, type GatewayOptions } from './gateway.options';
import { GatewayModule } from './gateway.module';
import { configureHttp } from './http/configure-http';
import { createHttpAdapter } from './http/create-http-adapter';

const OPTIONS: GatewayOptions = {
  ...GATEWAY_DEFAULTS,
  host: '127.0.0.1',
  port: 0,
  defaultAddressTree: parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2'),
};

const prover: ProverClient = { proveNewAddresses: () => Promise.reject(new Error('nobody asks')) };

const brokenLimiter: RateLimiter = {
  limit: { points: 1, windowSeconds: 1 },
  take: () => Promise.reject(new Error('secret: the limiter is broken')),
};

@Controller('elsewhere')
class OtherController {
  @Get()
  answer(): string {
    return 'other';
  }
}

describe('the module', () => {
  const lines: string[] = [];
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const logger = pino({}, { write: (line: string) => lines.push(line) });
    const reader = new Reader({ url: 'postgres://127.0.0.1:1/x', connections: 1, timeoutMs: 1, applicationName: 'x' });
    const gateway = GatewayModule.register(OPTIONS, {
      reader,
      prover,
      logger,
      registry: createRegistry(),
      limiter: brokenLimiter,
    });

    @Module({ imports: [gateway], controllers: [OtherController] })
    class RootModule {}

    const module = await Test.createTestingModule({ imports: [RootModule] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(createHttpAdapter(OPTIONS), { bodyParser: false });
    await configureHttp(app);
    await app.init();
  });
  afterAll(() => app.close());

  it('can be one of several in an application', async () => {
    expect((await app.inject({ method: 'GET', url: '/elsewhere' })).body).toBe('other');
    expect((await app.inject({ method: 'GET', url: '/health/live' })).json()).toEqual({ status: 'live' });
  });

  it('answers a fault outside of calls without a word about it, and logs it', async () => {
    const { statusCode, headers, body } = await app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json' },
      payload: '{}',
    });
    expect([statusCode, body]).toEqual([
      500,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}',
    ]);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { msg: 'request failed', requestId: headers['x-request-id'] },
    ]);
  });
});
