import { Histogram, LOGGER, type Logger, Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { NodeRpc, type NodeRpcOptions } from '../node-rpc';
import { NodeSockets, type NodeSocketsOptions } from '../node-sockets';

export type NodeRpcModuleOptions = Omit<NodeRpcOptions, 'onAttempt'>;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<{
  /** Null: no node is configured. */
  node: NodeRpcModuleOptions | null;
  /** Null: no subscriptions are forwarded. */
  sockets: NodeSocketsOptions | null;
}>().build();

/** Provides clients of a Solana node for what clients of the gateway ask of it: `NodeRpc` and `NodeSockets`, each may be null. */
@Module({
  providers: [
    {
      provide: NodeRpc,
      inject: [MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: ({ node }: { node: NodeRpcModuleOptions | null }, logger: Logger, registry: Registry) =>
        node && new NodeRpc({ ...node, onAttempt: createObserver(registry) }, logger),
    },
    {
      provide: NodeSockets,
      inject: [MODULE_OPTIONS_TOKEN, LOGGER],
      useFactory: ({ sockets }: { sockets: NodeSocketsOptions | null }, logger: Logger) =>
        sockets && new NodeSockets(sockets, logger),
    },
  ],
  exports: [NodeRpc, NodeSockets],
})
export class NodeRpcModule extends ConfigurableModuleClass {}

function createObserver(registry: Registry): NodeRpcOptions['onAttempt'] {
  const duration = new Histogram({
    name: 'fresnel_gateway_node_request_seconds',
    help: 'Duration of requests of the gateway to the Solana node by outcome: "ok", "error" or "unavailable".',
    labelNames: ['outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [registry],
  });
  return (outcome, seconds) => {
    duration.observe({ outcome }, seconds);
  };
}
