import 'reflect-metadata';
import { runApplication, startContext } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

void runApplication({
  name: 'fresnel-ingest',
  summary: 'reads the blocks of a chain and publishes the compression events of each slot to Kafka',
  schema: APP_CONFIG,
  start: async (_, options) => startContext((await import('./app.module.js')).AppModule, options),
});
