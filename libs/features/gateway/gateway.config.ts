import { flag, integer, type readConfig, text } from '@fresnel/platform';
import { makeValidator } from 'envalid';
import { type GatewayOptions } from './gateway.options';
import { parseTrustedProxies, type TrustedProxies } from './limits/trusted-proxies';

/** Everything about a gateway that an operator may set. */
export const GATEWAY_CONFIG = {
  GATEWAY_HOST: text({ default: '127.0.0.1', desc: 'Where the gateway listens; 0.0.0.0 for all interfaces' }),
  GATEWAY_PORT: integer(0, 65_535)({ default: 8784, desc: 'Port of the gateway; 0 takes a free one' }),
  GATEWAY_READ_CONNECTIONS: integer(1, 64)({ default: 4, desc: 'Connections for reading; each carries many requests' }),
  GATEWAY_MAX_BODY_BYTES: integer(1_024, 64 * 1024 * 1024)({ default: 1024 * 1024, desc: 'Largest request' }),
  GATEWAY_MAX_BATCH: integer(1, 10_000)({ default: 100, desc: 'Most calls in a batch' }),
  GATEWAY_REQUEST_TIMEOUT_MS: integer(100, 600_000)({ default: 10_000, desc: 'After so long a call is given up' }),
  GATEWAY_HEALTHY_LAG_SLOTS: integer(
    1,
    1_000_000,
  )({
    default: 20,
    desc: 'Further behind the chain than this the index says that it is not healthy',
  }),
  GATEWAY_TRUSTED_PROXIES: {
    ...makeValidator<TrustedProxies>(parseTrustedProxies)({
      default: undefined,
      desc: 'Proxies whose X-Forwarded-For is believed: addresses and networks with commas between, or their number',
    }),
    default: undefined,
    defaultInWords: 'none, the client is who connects',
  },
  RATE_LIMIT_ENABLED: flag({ default: true, desc: 'Limit what one client address may ask' }),
  RATE_LIMIT_POINTS: integer(
    1,
    1_000_000_000,
  )({ default: 2_000, desc: 'Points of a window; a call costs one, a proof request more' }),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400)({ default: 10, desc: 'Length of a window' }),
};

/** Reads them into options. */
export function toGatewayOptions(given: ReturnType<typeof readConfig<typeof GATEWAY_CONFIG>>) {
  return {
    host: given.GATEWAY_HOST,
    port: given.GATEWAY_PORT,
    maxBodyBytes: given.GATEWAY_MAX_BODY_BYTES,
    maxBatchEntries: given.GATEWAY_MAX_BATCH,
    requestTimeoutMs: given.GATEWAY_REQUEST_TIMEOUT_MS,
    healthyLagSlots: given.GATEWAY_HEALTHY_LAG_SLOTS,
    trustedProxies: given.GATEWAY_TRUSTED_PROXIES ?? [],
    rateLimit: given.RATE_LIMIT_ENABLED
      ? { points: given.RATE_LIMIT_POINTS, windowSeconds: given.RATE_LIMIT_WINDOW_SECONDS }
      : null,
  } satisfies Partial<GatewayOptions>;
}
