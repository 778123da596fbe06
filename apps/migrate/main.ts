import 'reflect-metadata';
import { runApplication, startContext } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

void runApplication({
  name: 'fresnel-migrate',
  summary: 'migrates the database schema, creates the Kafka topics and exits; run it before the services',
  schema: APP_CONFIG,
  start: async (_, options) => startContext((await import('./app.module.js')).AppModule, options),
});
