import { type NodeSocketsOptions, socketUrlOf } from '@fresnel/adapters/chain';
import { type RateLimit } from '@fresnel/adapters/rate-limit';
import { type Commitment } from '@fresnel/domain/chain';
import { addresses, type ConfigOf, flag, host, integer, requireSet, secret } from '@fresnel/platform';
import { makeValidator } from 'envalid';
import { type ForwardedMethods, parseForwardedMethods } from './methods/forwarded-methods';
import { parseTrustedProxies, type TrustedProxies } from './limits/trusted-proxies';

/** Environment variables of the gateway. */
export const GATEWAY_CONFIG = {
  GATEWAY_HOST: host({ default: '127.0.0.1', desc: 'Host to listen on; 0.0.0.0 for all interfaces' }),
  GATEWAY_PORT: integer(0, 65_535)({ default: 8784, desc: 'Port to listen on; 0 for any free port' }),
  GATEWAY_WS_PORT: {
    ...integer(
      0,
      65_535,
    )({
      default: undefined,
      desc: 'Port for WebSockets beside GATEWAY_PORT, with UPSTREAM_RPC_PASSTHROUGH: clients of Solana look for them there; 0 for none',
    }),
    defaultInWords: 'the port after GATEWAY_PORT',
  },
  GATEWAY_MAX_WEBSOCKETS: integer(
    1,
    1_000_000,
  )({
    default: 1_000,
    desc: 'Maximum number of WebSockets; further ones are answered with 503. A client may have a quarter of them',
  }),
  GATEWAY_MAX_SUBSCRIPTIONS: integer(
    1,
    100_000,
  )({
    default: 100,
    desc: 'Maximum number of subscriptions of a WebSocket',
  }),
  GATEWAY_MAX_FILTER_VALUES: integer(
    1,
    1_000_000,
  )({
    default: 10_000,
    desc: 'Maximum number of values in the filters of all subscriptions of a WebSocket to compressed accounts',
  }),
  GATEWAY_READ_CONNECTIONS: integer(
    1,
    64,
  )({
    default: 4,
    desc: 'Maximum database connections for reading; requests share them',
  }),
  GATEWAY_MAX_BODY_BYTES: integer(
    1_024,
    64 * 1024 * 1024,
  )({
    default: 1024 * 1024,
    desc: 'Maximum size of a request body',
  }),
  GATEWAY_MAX_BATCH: integer(
    1,
    10_000,
  )({
    default: 100,
    desc: 'Maximum number of calls in a batch',
  }),
  GATEWAY_REQUEST_TIMEOUT_MS: integer(
    100,
    600_000,
  )({
    default: 10_000,
    desc: 'Time limit of a call',
  }),
  GATEWAY_KEEP_ALIVE_SECONDS: integer(
    1,
    86_400,
  )({
    // Longer than the 600 s of some load balancers: the side that sends requests must be the one that closes idle connections.
    default: 620,
    desc: 'How long an idle connection stays open; longer than the load balancer in front keeps it',
  }),
  GATEWAY_SEND_TIMEOUT_MS: integer(
    100,
    600_000,
  )({
    default: 30_000,
    desc: 'Time limit for sending a response; then the connection is closed',
  }),
  GATEWAY_MAX_REQUESTS_IN_FLIGHT: integer(
    1,
    1_000_000,
  )({
    default: 1_000,
    desc: 'Maximum number of requests in progress; further ones are answered with 503. A client may have a quarter of them',
  }),
  GATEWAY_MAX_RESPONSE_BYTES_IN_FLIGHT: integer(
    1_024,
    64 * 1024 * 1024 * 1024,
  )({
    default: 256 * 1024 * 1024,
    desc: 'Size of responses that clients have not read at which further requests are answered with 503. A client may have a quarter',
  }),
  GATEWAY_MAX_EVENT_LOOP_DELAY_MS: integer(
    10,
    60_000,
  )({
    default: 5_000,
    desc: 'Mean delay of the event loop above which requests are answered with 503',
  }),
  GATEWAY_HEALTHY_LAG_SLOTS: integer(
    1,
    1_000_000,
  )({
    default: 20,
    desc: 'Lag in slots at which the index reports unhealthy, if it is also more than GATEWAY_HEALTHY_LAG_SECONDS behind',
  }),
  GATEWAY_HEALTHY_LAG_SECONDS: integer(
    1,
    86_400,
  )({
    default: 20,
    desc: 'Age of the newest indexed block at which the index reports unhealthy, if it is also more than GATEWAY_HEALTHY_LAG_SLOTS behind',
  }),
  GATEWAY_OPERATOR_STATUS: flag({
    default: false,
    desc: 'Whether getIndexerStatus also tells everybody of dead letters and of the consumers of Kafka',
  }),
  GATEWAY_TRUSTED_PROXIES: {
    ...makeValidator<TrustedProxies>(parseTrustedProxies)({
      default: [],
      desc: 'Proxies whose X-Forwarded-For is trusted: comma-separated addresses and networks, or the number of proxies',
    }),
    default: [],
    defaultInWords: 'none: the client is the peer of the connection',
  },
  UPSTREAM_RPC_PASSTHROUGH: {
    ...makeValidator<ForwardedMethods>(parseForwardedMethods)({
      default: undefined,
      desc: 'Methods of Solana nodes that are forwarded to SOLANA_RPC_URL: names separated by commas; default stands for the usual ones. Subscriptions are forwarded as well',
    }),
    default: undefined,
    defaultInWords: 'none: they do not exist',
  },
  SOLANA_WS_URL: {
    ...secret(
      addresses(
        'ws:',
        'wss:',
      )({
        default: undefined,
        desc: 'WebSocket endpoint of the Solana node, to which subscriptions are forwarded with UPSTREAM_RPC_PASSTHROUGH; several are separated by commas',
      }),
    ),
    defaultInWords: 'that of SOLANA_RPC_URL, at the next port if it names one',
  },
  UPSTREAM_RPC_MAX_RESPONSE_BYTES: integer(
    1_024,
    128 * 1024 * 1024,
  )({
    default: 4 * 1024 * 1024,
    desc: 'Maximum size of an answer of the node',
  }),
  UPSTREAM_RPC_CONCURRENCY: integer(1, 1_000)({ default: 32, desc: 'Requests to the node in progress; others wait' }),
  RATE_LIMIT_ENABLED: flag({ default: true, desc: 'Limit the requests of each client address' }),
  RATE_LIMIT_POINTS: integer(
    1,
    1_000_000_000,
  )({
    default: 2_000,
    desc: 'Points of a client in each window. Calls cost points by their work, as the API documentation states; one that takes more before it runs is always rejected',
  }),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400)({ default: 10, desc: 'Length of a rate limit window' }),
};

/** The share of the time of a call that the node has. In the rest of it, the caller is answered that the node does not answer. */
const NODE_TIME_SHARE = 0.9;

export type GatewayConfig = ConfigOf<typeof GATEWAY_CONFIG>;

/** Null without a node. @throws ConfigError if methods are to be forwarded */
export function toNodeOptions(config: GatewayConfig & { SOLANA_RPC_URL?: string[]; SOLANA_COMMITMENT?: Commitment }) {
  if (config.UPSTREAM_RPC_PASSTHROUGH !== undefined) requireSet('SOLANA_RPC_URL', config.SOLANA_RPC_URL);
  if (config.SOLANA_RPC_URL === undefined) return null;
  return {
    urls: config.SOLANA_RPC_URL,
    timeoutMs: Math.floor(NODE_TIME_SHARE * config.GATEWAY_REQUEST_TIMEOUT_MS),
    maxResponseBytes: config.UPSTREAM_RPC_MAX_RESPONSE_BYTES,
    concurrency: config.UPSTREAM_RPC_CONCURRENCY,
    commitment: config.SOLANA_COMMITMENT ?? null,
  };
}

/** Null if nothing is forwarded. @throws ConfigError without a node */
export function toNodeSocketsOptions(config: GatewayConfig & { SOLANA_RPC_URL?: string[] }): NodeSocketsOptions | null {
  const node = toNodeOptions(config);
  if (config.UPSTREAM_RPC_PASSTHROUGH === undefined || node === null) return null;
  return {
    urls: config.SOLANA_WS_URL ?? node.urls.map(socketUrlOf),
    timeoutMs: node.timeoutMs,
    maxMessageBytes: node.maxResponseBytes,
  };
}

/** Null if the rate limit is disabled. */
export function toRateLimit(config: GatewayConfig): RateLimit | null {
  if (!config.RATE_LIMIT_ENABLED) return null;
  return { points: config.RATE_LIMIT_POINTS, windowSeconds: config.RATE_LIMIT_WINDOW_SECONDS };
}
