import { Global, Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG } from '../config';
import { type HealthServer, startHealthServer } from '../health-server';
import { LOGGER, type Logger } from '../logger';
import { Registry } from '../metrics';
import { HealthChecks } from '../health-checks';

/** Provides `HealthChecks`. */
@Global()
@Module({ providers: [HealthChecks], exports: [HealthChecks] })
export class HealthChecksModule {}

/** Serves health and metrics over HTTP, at HEALTH_HOST and HEALTH_PORT of the config. */
@Module({})
export class HealthServerModule implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: HealthServer | null = null;

  constructor(
    @Inject(CONFIG) private readonly config: { HEALTH_HOST: string; HEALTH_PORT: number },
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly registry: Registry,
    private readonly checks: HealthChecks,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.server = await startHealthServer({
      host: this.config.HEALTH_HOST,
      port: this.config.HEALTH_PORT,
      registry: this.registry,
      findFaults: () => this.checks.findFaults(),
      findStuck: () => this.checks.findStuck(),
    });
    this.logger.info({ port: this.server.port }, 'serving health and metrics');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}
