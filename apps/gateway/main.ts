import 'reflect-metadata';
import { toGatewayOptions } from '@fresnel/features/gateway';
import { runApplication, tuneGarbageCollection } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

tuneGarbageCollection();

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
