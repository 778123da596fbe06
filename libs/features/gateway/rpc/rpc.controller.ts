import { Readable } from 'node:stream';
import { withRemoteParent } from '@fresnel/platform';
import { Controller, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../responses/error-response';
import { sizeOfText } from '../responses/response-text';
import { methodOfPath } from './method-path';
import { RpcService } from './rpc.service';

/** Shorter responses are not compressed. */
const COMPRESS_FROM_BYTES = 1024;
/** Parts of more bytes are not copied to be sent at once. */
const MAX_COPIED_BYTES = 512 * 1024;

/** The route of every POST, whatever its path: the HTTP adapter rewrites the path to `/`. */
@Controller()
export class RpcController {
  constructor(private readonly rpc: RpcService) {}

  @Post()
  async post(@Req() request: FastifyRequest<{ Body: Buffer }>, @Res() reply: FastifyReply): Promise<void> {
    const { id, body, originalUrl, client } = request;
    const call = { id, body, pathMethod: methodOfPath(originalUrl), client };
    const { httpStatus, headers, text } = await withRemoteParent(request.headers, () => this.rpc.respond(call));
    reply.code(httpStatus).headers(headers).header('Content-Type', JSON_TYPE);
    const size = sizeOfText(text);
    request.inProgress?.admitted?.addResponse(size);
    if (typeof text === 'string') {
      if (size < COMPRESS_FROM_BYTES) reply.send(text);
      else reply.compress(text);
    } else if (size <= MAX_COPIED_BYTES) {
      reply.compress(Buffer.concat(text));
    } else {
      reply.header('Content-Length', size).compress(Readable.from(text));
    }
  }
}
