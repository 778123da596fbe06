import 'reflect-metadata';
import { toGatewayOptions } from '@fresnel/features/gateway';
import { startGateway } from '@fresnel/features/gateway/nest';
import { runApplication } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';
import { AppModule } from './app.module';

void runApplication({
  name: 'fresnel-gateway',
  summary: 'answers JSON-RPC from the tables and the provers',
  schema: APP_CONFIG,
  start: (config, nestOptions) => startGateway(AppModule, toGatewayOptions(config), nestOptions),
});
