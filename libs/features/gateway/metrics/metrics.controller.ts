import { Registry } from '@fresnel/platform';
import { Controller, Get, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';

/** Metrics in the Prometheus text format. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly registry: Registry) {}

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.header('Content-Type', this.registry.contentType);
    return this.registry.metrics();
  }
}
