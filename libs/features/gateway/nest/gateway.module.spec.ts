import { NodeRpc, NodeSockets } from '@fresnel/adapters/chain';
import { PROVER_CLIENT } from '@fresnel/adapters/prover-client';
import { RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Reader } from '@fresnel/adapters/store-read';
import { HttpValidityProver } from '@fresnel/adapters/validity-prover';
import { METHOD_CONTRACTS } from '@fresnel/contracts/rpc';
import { parsePubkey } from '@fresnel/domain/primitives';
import { createRegistry, HealthChecks, LOGGER, readConfig, Registry } from '@fresnel/platform';
import { UNEXPECTED_PROVER } from '@fresnel/testing/gateway';
import { Controller, Get, Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import pino from 'pino';
import { GATEWAY_CONFIG } from '../gateway.config';
import { GATEWAY_OPTIONS, toGatewayOptions } from '../gateway.options';
import { GatewayModule } from './gateway.module';
import { configureHttp } from '../http/configure-http';
import { createHttpAdapter } from '../http/create-http-adapter';
import { RpcMethods } from '../methods/rpc-method';

const OPTIONS = toGatewayOptions({
  ...readConfig(GATEWAY_CONFIG, {}),
  DEFAULT_ADDRESS_TREE: parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2'),
  ACCEPT_TREE_GAPS: false,
});

const brokenLimiter: RateLimiter = {
  limit: { points: 1, windowSeconds: 1 },
  consume: () => Promise.reject(new Error('secret: the limiter is broken')),
  charge: () => Promise.resolve(),
};

@Controller('elsewhere')
class OtherController {
  @Get()
  answer(): string {
    return 'other';
  }
}

@Module({})
class BackendsModule {}

describe('GatewayModule', () => {
  const lines: string[] = [];
  const providers = [
    {
      provide: Reader,
      useValue: new Reader({ url: 'postgres://127.0.0.1:1/x', connections: 1, timeoutMs: 1, applicationName: 'x' }),
    },
    { provide: PROVER_CLIENT, useValue: UNEXPECTED_PROVER },
    { provide: HttpValidityProver, useValue: null },
    { provide: NodeRpc, useValue: null },
    { provide: NodeSockets, useValue: null },
    { provide: RATE_LIMITER, useValue: brokenLimiter },
    { provide: LOGGER, useValue: pino({}, { write: (line: string) => lines.push(line) }) },
    { provide: Registry, useFactory: createRegistry },
    { provide: HealthChecks, useValue: new HealthChecks() },
  ];
  const backends = { module: BackendsModule, global: true, providers, exports: providers };
  let app: NestFastifyApplication;

  beforeAll(async () => {
    @Module({
      imports: [backends, GatewayModule.register(OPTIONS)],
      controllers: [OtherController],
    })
    class RootModule {}

    const module = await Test.createTestingModule({ imports: [RootModule] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(createHttpAdapter(OPTIONS), { bodyParser: false });
    await configureHttp(app);
    await app.init();
  });
  afterAll(() => app.close());

  it('works beside other modules of an application', async () => {
    expect((await app.inject({ method: 'GET', url: '/elsewhere' })).body).toBe('other');
    expect((await app.inject({ method: 'GET', url: '/docs' })).statusCode).toBe(200);
  });

  it.each(METHOD_CONTRACTS.map(({ name }) => name))(
    'answers %s, by a row of a file in libs/features/gateway/methods',
    (name) => {
      expect(app.get(RpcMethods, { strict: false }).has(name)).toBe(true);
    },
  );

  it('answers an error outside of calls without details, and logs it', async () => {
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

  it('can be registered with a factory of its options', async () => {
    const module = await Test.createTestingModule({
      imports: [backends, GatewayModule.registerAsync({ useFactory: () => Promise.resolve(OPTIONS) })],
    }).compile();
    expect(module.get(GATEWAY_OPTIONS, { strict: false })).toBe(OPTIONS);
  });
});
