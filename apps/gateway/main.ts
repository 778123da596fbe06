import 'reflect-metadata';
import { once } from 'node:events';
import { GrpcProverClient } from '@fresnel/adapters/prover-client';
import { RedisRateLimiter } from '@fresnel/adapters/rate-limit';
import { Reader } from '@fresnel/adapters/store-read';
import { GATEWAY_DEFAULTS, GATEWAY_CONFIG, startGateway, toGatewayOptions } from '@fresnel/features/gateway';
import { readConfig, runService, SERVICE_CONFIG } from '@fresnel/platform';
import {
  ADDRESS_TREE_CONFIG,
  DATABASE_CONFIG,
  mandatory,
  PROVER_ADDRESS_CONFIG,
  READ_DATABASE_CONFIG,
  REDIS_CONFIG,
  required,
} from '@fresnel/config';

const CONFIG = {
  ...GATEWAY_CONFIG,
  ...ADDRESS_TREE_CONFIG,
  DATABASE_URL: mandatory(DATABASE_CONFIG.DATABASE_URL),
  ...READ_DATABASE_CONFIG,
  ...PROVER_ADDRESS_CONFIG,
  ...REDIS_CONFIG,
  ...SERVICE_CONFIG,
};

void runService({
  name: 'fresnel-gateway',
  summary: 'answers JSON-RPC from the tables and the provers',
  schema: CONFIG,
  configure: () => {
    const given = readConfig(CONFIG);
    const url = required('DATABASE_URL', given.DATABASE_READ_URL ?? given.DATABASE_URL);
    const proverAddress = required('PROVER_URL', given.PROVER_URL);
    const redisUrl = required('REDIS_URL', given.REDIS_URL);
    const options = {
      ...GATEWAY_DEFAULTS,
      ...toGatewayOptions(given),
      defaultAddressTree: given.DEFAULT_ADDRESS_TREE,
    };
    return {
      logLevel: given.LOG_LEVEL,
      run: async ({ logger, registry, signal }) => {
        const { requestTimeoutMs: timeoutMs, rateLimit } = options;
        const connections = given.GATEWAY_READ_CONNECTIONS;
        const reader = new Reader({ url, connections, timeoutMs, applicationName: 'fresnel-gateway' });
        const prover = new GrpcProverClient({ address: proverAddress, deadlineMs: timeoutMs });
        const limiter =
          rateLimit &&
          (await RedisRateLimiter.open(
            { url: redisUrl, limit: rateLimit, keyPrefix: given.REDIS_KEY_PREFIX },
            { logger, registry },
          ));
        const gateway = await startGateway(options, {
          reader,
          prover,
          logger,
          registry,
          ...(limiter ? { limiter } : {}),
        });
        logger.info({ url: gateway.url }, 'answering requests');
        if (!signal.aborted) await once(signal, 'abort');
        await gateway.close();
        limiter?.close();
        prover.close();
        await reader.close();
      },
    };
  },
});
