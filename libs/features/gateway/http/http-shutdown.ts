import { type Server } from 'node:http';
import { after, type Timer } from '@fresnel/platform/time';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';

/**
 * Limits how long a shutdown waits for requests in progress. Nest closes the HTTP server between the two hooks; after
 * `closeTimeoutMs` all connections that are still open are closed.
 */
@Injectable()
export class HttpShutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  private timer: Timer | undefined;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  beforeApplicationShutdown(): void {
    this.timer ??= after(this.options.closeTimeoutMs, () => {
      const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
      server.closeAllConnections();
    });
  }

  onApplicationShutdown(): void {
    this.timer?.cancel();
  }
}
