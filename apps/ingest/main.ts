import 'reflect-metadata';
import { ConfigError, runApplication, startContext } from '@fresnel/platform';
import { APP_CONFIG, PUBLISH_CONFIG } from './app.config';
import { parsePublishArguments, PUBLISH_USAGE } from './publish.arguments';

const FOLLOW_USAGE = `  (no arguments)                  follow the chain
  publish --from SLOT --to SLOT   publish a range of slots; "publish --help" has the details`;

const command = process.argv.at(2);

if (command === 'publish') {
  void runApplication({
    name: 'fresnel-ingest',
    summary: 'publishes a range of slots to Kafka and exits',
    usage: PUBLISH_USAGE,
    schema: PUBLISH_CONFIG,
    start: async (_, options) => {
      const range = parsePublishArguments(process.argv.slice(3));
      return startContext((await import('./publish.module.js')).PublishModule.register(range), options);
    },
  });
} else {
  void runApplication({
    name: 'fresnel-ingest',
    summary: 'reads the blocks of a chain and publishes the compression events of each slot to Kafka',
    usage: FOLLOW_USAGE,
    schema: APP_CONFIG,
    start: async (_, options) => {
      if (command !== undefined) throw new ConfigError(`unknown command ${command}`);
      return startContext((await import('./app.module.js')).AppModule, options);
    },
  });
}
