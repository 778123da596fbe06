import { Histogram, LOGGER, type Logger, Registry, SECONDS_BUCKETS } from '@fresnel/platform';
import { ConfigurableModuleBuilder, Global, Module } from '@nestjs/common';
import { NODE_RPC, NodeRpc, type NodeRpcOptions } from '../node-rpc';

export type NodeRpcModuleOptions = Omit<NodeRpcOptions, 'onAttempt'>;

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<{
  /** Null: no node is configured. */
  node: NodeRpcModuleOptions | null;
}>().build();

/** Provides a client of a Solana node for the requests of clients as `NODE_RPC`; null without a node. */
@Global()
@Module({
  providers: [
    {
      provide: NODE_RPC,
      inject: [MODULE_OPTIONS_TOKEN, LOGGER, Registry],
      useFactory: ({ node }: { node: NodeRpcModuleOptions | null }, logger: Logger, registry: Registry) =>
        node && new NodeRpc({ ...node, onAttempt: createObserver(registry) }, logger),
    },
  ],
  exports: [NODE_RPC],
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
