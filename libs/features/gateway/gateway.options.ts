import { type RateLimit } from '@fresnel/adapters/rate-limit';
import { type Pubkey } from '@fresnel/domain/primitives';
import { type TrustedProxies } from './limits/trusted-proxies';

/** Injection token of the options. */
export const GATEWAY_OPTIONS = Symbol('GatewayOptions');

export interface GatewayOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Of requests that name no tree. */
  defaultAddressTree: Pubkey;
  maxBodyBytes: number;
  maxBatchEntries: number;
  /** After so long a call is given up and answered with an internal error. */
  requestTimeoutMs: number;
  /** Within so long a request must have arrived whole. */
  receiveTimeoutMs: number;
  /** How long `close` waits for answers that are being worked on. */
  closeTimeoutMs: number;
  /** Further behind the chain than this many slots the index is not healthy. */
  healthyLagSlots: number;
  /** A chain tip that was seen longer ago says nothing about the chain. */
  tipStaleMs: number;
  /** Points that one client address may use in a window, null for as many as it likes. */
  rateLimit: RateLimit | null;
  /** From others the client's address is that of the connection, whatever its headers say. */
  trustedProxies: TrustedProxies;
}

/** What fits most deployments; where to listen and the address tree have no default. */
export const GATEWAY_DEFAULTS = {
  maxBodyBytes: 1024 * 1024,
  maxBatchEntries: 100,
  requestTimeoutMs: 10_000,
  receiveTimeoutMs: 30_000,
  closeTimeoutMs: 10_000,
  healthyLagSlots: 20,
  tipStaleMs: 60_000,
  rateLimit: null,
  trustedProxies: [],
} as const satisfies Omit<GatewayOptions, 'host' | 'port' | 'defaultAddressTree'>;
