import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { DocsController } from '../docs/docs.controller';
import { ExplorerController } from '../explorer/explorer.controller';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { IndexHealth } from '../health/index-health';
import { IndexLagMetric } from '../health/index-lag.metric';
import { HttpExceptionFilter } from '../http/http-exception.filter';
import { HttpShutdown } from '../http/http-shutdown';
import { ClientTurns } from '../limits/client-turns';
import { LoadShedder } from '../limits/load-shedder';
import { METHOD_PROVIDERS } from '../methods/method-providers';
import { PushService } from '../push/client-subscriptions';
import { PushHub } from '../push/push-hub';
import { CallRunner } from '../rpc/call-runner';
import { IndexedSlotWaiter } from '../rpc/min-context-slot';
import { ProbeController } from '../rpc/probe.controller';
import { RpcController } from '../rpc/rpc.controller';
import { RpcMetrics } from '../rpc/rpc-metrics';
import { RpcService } from '../rpc/rpc.service';
import { SocketServer } from '../websocket/socket-server';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<GatewayOptions>({
  optionsInjectionToken: GATEWAY_OPTIONS,
}).build();

/**
 * Answers JSON-RPC from the tables and the prover. `startGateway` starts an application that imports it.
 *
 * The modules that it imports provide `Reader` and `PROVER_CLIENT`, and `HttpValidityProver`, `NodeRpc`, `NodeSockets` and
 * `RATE_LIMITER`, which may be null. The README of this library shows the path of a request.
 */
@Module({
  controllers: [RpcController, ProbeController, DocsController, ExplorerController],
  providers: [
    RpcService,
    CallRunner,
    IndexedSlotWaiter,
    RpcMetrics,
    ...METHOD_PROVIDERS,
    { provide: APP_FILTER, useClass: HttpExceptionFilter },
    HttpShutdown,
    IndexHealth,
    IndexLagMetric,
    LoadShedder,
    ClientTurns,
    PushHub,
    PushService,
    SocketServer,
  ],
})
export class GatewayModule extends ConfigurableModuleClass {}
