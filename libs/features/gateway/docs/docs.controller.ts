import { createOpenApi, createOpenRpc } from '@fresnel/contracts/rpc';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { documentText } from '../responses/document-text';
import { JSON_TYPE, METHOD_NOT_ALLOWED, sendErrorResponse } from '../responses/error-response';
import { loadDocsAssets } from './docs-assets';
import { CONTENT_SECURITY_POLICY, DOCS_PAGE } from './docs-page';

const CACHE_CONTROL = 'public, max-age=3600';

/** The OpenAPI and OpenRPC documents, and Swagger UI to try the methods. All files are served by this process. */
@Controller()
export class DocsController {
  private readonly assets = loadDocsAssets();

  @Get('openapi.json')
  openApi(@Res() reply: FastifyReply): void {
    reply.type(JSON_TYPE).compress(documentText(createOpenApi));
  }

  @Get('openrpc.json')
  openRpc(@Res() reply: FastifyReply): void {
    reply.type(JSON_TYPE).compress(documentText(createOpenRpc));
  }

  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  page(): string {
    return DOCS_PAGE;
  }

  @Get('docs/:name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const asset = this.assets.get(name);
    if (!asset) {
      sendErrorResponse(reply, METHOD_NOT_ALLOWED);
      return;
    }
    reply.headers({ 'Content-Type': asset.type, 'Cache-Control': CACHE_CONTROL, 'X-Content-Type-Options': 'nosniff' });
    reply.compress(asset.content);
  }
}
