import { liveness, readiness } from '@fresnel/contracts/rpc';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../responses/error-response';
import { CallRunner } from './call-runner';

/** Probes do not wait for the calls of a client. */
const CLIENT = 'probe';

/** The methods that load balancers call with GET. The response is the result, or a JSON-RPC response with the error. */
@Controller()
export class ProbeController {
  constructor(private readonly runner: CallRunner) {}

  @Get(liveness.name)
  async liveness(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.call(liveness.name, request, reply);
  }

  @Get(readiness.name)
  async readiness(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.call(readiness.name, request, reply);
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
