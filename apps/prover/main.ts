import 'reflect-metadata';
import { toProverTls } from '@fresnel/config';
import { LOGGER, type Logger, runApplication, startContext } from '@fresnel/platform';
import { APP_CONFIG } from './app.config';

/** How long calls in progress may take during a shutdown. */
const CLOSE_TIMEOUT_MS = 5_000;

void runApplication({
  name: 'fresnel-prover',
  summary: 'maintains the Merkle trees and serves proofs',
  schema: APP_CONFIG,
  start: async (config, nestOptions) => {
    const { AppModule } = await import('./app.module.js');
    const root = AppModule.forRole(config.PROVER_ROLE);
    if (config.PROVER_ROLE === 'writer') return startContext(root, nestOptions);
    const { startProverServer } = await import('@fresnel/features/prover/nest');
    const options = { ...config, tls: toProverTls(config), closeTimeoutMs: CLOSE_TIMEOUT_MS };
    const { app, port } = await startProverServer(root, options, nestOptions);
    app.get<Logger>(LOGGER).info({ port }, 'prover listening');
    return app;
  },
});
