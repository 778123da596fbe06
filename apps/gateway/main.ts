import 'reflect-metadata';
import { toGatewayOptions } from '@fresnel/features/gateway';
import { limitHeapGrowth, runApplication } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

/** A gateway keeps about 30 MB; a request leaves garbage. This takes a third less memory for a few percent more of a processor. */
const HEAP_GROWTH_PERCENT = 60;

limitHeapGrowth(HEAP_GROWTH_PERCENT);
void runApplication({
  name: 'fresnel-gateway',
  summary: 'answers JSON-RPC from the tables and the provers',
  schema: APP_CONFIG,
  start: async (config, nestOptions) => {
    const { AppModule } = await import('./app.module.js');
    const { startGateway } = await import('@fresnel/features/gateway/nest');
    return startGateway(AppModule, toGatewayOptions(config), nestOptions);
  },
});
