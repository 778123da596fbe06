import { CONTRACTS } from '@fresnel/contracts/rpc';
import { wallClock } from '@fresnel/platform/time';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { IndexHealth } from '../health/index-health';
import { healthText } from '../health/unhealthy-reasons';
import { JSON_TYPE } from '../responses/error-response';
import { CallRunner } from './call-runner';

/** Probes do not wait for the calls of a client. */
const CLIENT = 'probe';

/**
 * What load balancers and wallets ask with GET. The response to a method is its result, or a JSON-RPC response with the error; to `/health`
 * it is the text of Solana nodes.
 */
@Controller()
export class ProbeController {
  constructor(
    private readonly runner: CallRunner,
    private readonly index: IndexHealth,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  /** `unknown`, with status 503, if the index cannot be read. */
  @Get('health')
  async health(@Res() reply: FastifyReply): Promise<void> {
    const text = await this.index.read().then(
      (status) => healthText(status, this.options, wallClock()),
      () => null,
    );
    await reply
      .code(text === null ? 503 : 200)
      .header('Content-Type', 'text/plain; charset=utf-8')
      .send(text ?? 'unknown');
  }

  @Get(CONTRACTS.liveness.name)
  async liveness(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.call(CONTRACTS.liveness.name, request, reply);
  }

  @Get(CONTRACTS.readiness.name)
  async readiness(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.call(CONTRACTS.readiness.name, request, reply);
  }

  private async call(method: string, { id: requestId }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const call = { id: 'null', method, params: null };
    const { httpStatus, text } = await this.runner.run(call, { requestId, client: CLIENT });
    await reply
      .code(httpStatus)
      .header('Content-Type', JSON_TYPE)
      .send(httpStatus === 200 ? 'null' : text);
  }
}
