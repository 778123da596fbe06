import { type Pubkey } from '@fresnel/domain/primitives';
import { type GatewayConfig } from './gateway.config';

/** Injection token of `GatewayOptions`. */
export const GATEWAY_OPTIONS = Symbol('GatewayOptions');

/** Limits that no setting changes. */
interface FixedLimits {
  /** How long a call waits for the slot `minContextSlot`. */
  minContextSlotWaitMs: number;
  /** Time limit for receiving a request. */
  receiveTimeoutMs: number;
  /** How long a shutdown waits for requests in progress. */
  closeTimeoutMs: number;
}

/** The settings of the gateway, by the names of their environment variables, and its other limits. */
export interface GatewayOptions extends GatewayConfig, TreeOptions, FixedLimits {}

/** Settings of trees that the gateway shares with provers. */
interface TreeOptions {
  DEFAULT_ADDRESS_TREE: Pubkey;
  ACCEPT_TREE_GAPS: boolean;
}

/** Adds the fixed limits to the config of an application. */
export function toGatewayOptions(config: GatewayConfig & TreeOptions): GatewayOptions {
  return { minContextSlotWaitMs: 2_000, receiveTimeoutMs: 30_000, closeTimeoutMs: 10_000, ...config };
}
