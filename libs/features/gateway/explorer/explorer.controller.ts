import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { METHOD_NOT_ALLOWED, sendErrorResponse } from '../responses/error-response';
import { type ExplorerFile, type ExplorerFiles, readExplorerFiles } from './explorer-files';

/** The page loads and calls nothing but this server. Styles and scripts are files, so hostile data cannot become either. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const NEVER_CHANGES = 'public, max-age=31536000, immutable';
const RETRY_SECONDS = 2;
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="${RETRY_SECONDS}">
<title>Fresnel explorer</title><p>The explorer is being built. This page reloads in ${RETRY_SECONDS} seconds.</p></html>`;

/** The explorer: a page at `/` for those who accept HTML, and its files. */
@Controller()
export class ExplorerController {
  /** Read at the first request: few gateways are asked for it, and `npm start` builds it after the gateway has started. */
  private files: ExplorerFiles | null = null;

  @Get()
  async page(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    reply.header('Vary', 'Accept');
    if (!headers.accept?.includes('text/html')) {
      sendErrorResponse(reply, METHOD_NOT_ALLOWED);
      return;
    }
    const files = (this.files ??= readExplorerFiles());
    reply.headers({ 'Content-Security-Policy': CONTENT_SECURITY_POLICY, 'Referrer-Policy': 'no-referrer' });
    if (files) sendFile(reply, files.page, 'no-cache');
    else await reply.code(503).headers({ 'Retry-After': RETRY_SECONDS, 'Content-Type': 'text/html' }).send(NOT_BUILT);
  }

  @Get('assets/:name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const file = (this.files ??= readExplorerFiles())?.assets.get(name);
    if (file) sendFile(reply, file, NEVER_CHANGES);
    else sendErrorResponse(reply, METHOD_NOT_ALLOWED);
  }
}

function sendFile(reply: FastifyReply, { type, content }: ExplorerFile, cacheControl: string): void {
  reply.headers({ 'Content-Type': type, 'Cache-Control': cacheControl, 'X-Content-Type-Options': 'nosniff' });
  reply.compress(content);
}
