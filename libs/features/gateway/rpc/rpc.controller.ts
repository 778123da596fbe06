import { Readable } from 'node:stream';
import { withRemoteParent } from '@fresnel/platform';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { clientOf } from '../limits/client-address';
import { JSON_TYPE } from '../responses/error-response';
import { sizeOfText } from '../responses/response-text';
import { methodOfPath } from './method-path';
import { RpcService } from './rpc.service';

/** Parts of more bytes are not copied to be sent at once. */
const MAX_COPIED_BYTES = 512 * 1024;

/** The route of every POST, whatever its path: the HTTP adapter rewrites the path to `/`. */
@Controller()
export class RpcController {
  constructor(private readonly rpc: RpcService) {}

  @Post()
  async post(@Req() request: FastifyRequest<{ Body: Buffer }>, @Res() reply: FastifyReply): Promise<void> {
    const { id, body, originalUrl, ip, ips = [ip] } = request;
    const call = { id, body, pathMethod: methodOfPath(originalUrl), client: clientOf(ips) };
    const { httpStatus, headers, text } = await withRemoteParent(request.headers, () => this.rpc.respond(call));
    reply.code(httpStatus).headers(headers).header('Content-Type', JSON_TYPE);
    const size = sizeOfText(text);
    if (typeof text === 'string') await reply.send(text);
    else if (size <= MAX_COPIED_BYTES) await reply.send(Buffer.concat(text));
    else await reply.header('Content-Length', size).send(Readable.from(text));
  }
}
