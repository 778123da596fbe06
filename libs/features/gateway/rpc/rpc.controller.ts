import { Controller, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { methodOfPath } from '../http/method-path';
import { JSON_TYPE } from '../http/refusal';
import { clientOf } from '../limits/client-address';
import { RpcService } from './rpc.service';

/** The route that every POST comes to, whatever its path. */
@Controller()
export class RpcController {
  constructor(private readonly rpc: RpcService) {}

  @Post()
  async post(@Req() request: FastifyRequest<{ Body: Buffer }>, @Res() reply: FastifyReply): Promise<void> {
    const { id, body, originalUrl, ip, ips = [ip] } = request;
    const { httpStatus, headers, text } = await this.rpc.answer({
      id,
      body,
      pathMethod: methodOfPath(originalUrl),
      client: clientOf(ips),
    });
    await reply.code(httpStatus).headers(headers).header('Content-Type', JSON_TYPE).send(text);
  }
}
