import 'reflect-metadata';
import { runApplication, startContext } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

void runApplication({
  name: 'fresnel-projector',
  summary: 'writes the slots that ingest publishes to Postgres',
  schema: APP_CONFIG,
  start: async (_, options) => startContext((await import('./app.module.js')).AppModule, options),
});
