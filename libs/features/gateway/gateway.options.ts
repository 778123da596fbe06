import { type Pubkey } from '@fresnel/domain/primitives';
import { type TrustedProxies } from './limits/trusted-proxies';

/** Injection token of `GatewayOptions`. */
export const GATEWAY_OPTIONS = Symbol('GatewayOptions');

export interface GatewayOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** Port for WebSockets beside `port`; `next` for the one after it, null for none. */
  webSocketPort: number | 'next' | null;
  /** Further WebSockets are answered with 503. */
  maxWebSockets: number;
  /** Subscriptions of a WebSocket. */
  maxSubscriptions: number;
  /** The address tree of proof requests that name no tree. */
  defaultAddressTree: Pubkey;
  /** Methods that the Solana node answers, if there is one. */
  forwardedMethods: readonly string[];
  /** Methods that it answers as well if its chain is no public cluster. */
  methodsOfPrivateChains: readonly string[];
  maxBodyBytes: number;
  maxBatchEntries: number;
  /** Time limit of a call. Afterwards it is answered with an internal error. */
  requestTimeoutMs: number;
  /** How long a call waits for the slot `minContextSlot`. */
  minContextSlotWaitMs: number;
  /** Time limit for receiving a request. */
  receiveTimeoutMs: number;
  /** How long a connection stays open between two requests. */
  keepAliveMs: number;
  /** Time limit for sending a response. Afterwards its connection is closed. */
  sendTimeoutMs: number;
  /** Requests in progress. Further requests are answered with 503. */
  maxRequestsInFlight: number;
  /** Size of the responses that are not sent completely. At this size, further requests are answered with 503. */
  maxResponseBytesInFlight: number;
  /** Mean delay of the event loop above which requests are answered with 503. */
  maxEventLoopDelayMs: number;
  /** How long a shutdown waits for requests in progress. */
  closeTimeoutMs: number;
  /** Maximum lag behind the chain tip, in slots, at which the index is healthy however old its newest block is. */
  healthyLagSlots: number;
  /** Maximum age of the newest block at which the index is healthy however many slots it is behind. */
  healthyLagMs: number;
  /** Maximum age of the known chain tip at which the index is healthy. */
  tipStaleMs: number;
  /** Proxies whose `X-Forwarded-For` is trusted. Without one, the client is the peer of the connection. */
  trustedProxies: TrustedProxies;
}

/** Options that no setting changes. */
export const FIXED_OPTIONS = {
  minContextSlotWaitMs: 2_000,
  receiveTimeoutMs: 30_000,
  closeTimeoutMs: 10_000,
  tipStaleMs: 60_000,
} as const satisfies Partial<GatewayOptions>;

/** Defaults of all options but the address to listen on and the address tree. */
export const GATEWAY_DEFAULTS = {
  ...FIXED_OPTIONS,
  webSocketPort: null,
  maxWebSockets: 1_000,
  maxSubscriptions: 100,
  forwardedMethods: [],
  methodsOfPrivateChains: [],
  maxBodyBytes: 1024 * 1024,
  maxBatchEntries: 100,
  requestTimeoutMs: 10_000,
  // Longer than the 600 s of some load balancers: the side that sends requests must be the one that closes idle connections.
  keepAliveMs: 620_000,
  sendTimeoutMs: 30_000,
  maxRequestsInFlight: 1_000,
  maxResponseBytesInFlight: 256 * 1024 * 1024,
  maxEventLoopDelayMs: 5_000,
  healthyLagSlots: 20,
  healthyLagMs: 20_000,
  trustedProxies: [],
} as const satisfies Omit<GatewayOptions, 'host' | 'port' | 'defaultAddressTree'>;
