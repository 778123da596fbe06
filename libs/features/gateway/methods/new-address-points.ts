import { MAX_ADDRESSES } from '@fresnel/contracts/rpc';

const ADDRESSES_PER_POINT = 100;

/** One point for the call and one for every 100 addresses or part of 100. Lists over the maximum are rejected and cost no more. */
export function newAddressPoints(params: unknown): number {
  const addresses = Array.isArray(params) ? Math.min(params.length, MAX_ADDRESSES) : 0;
  return 1 + Math.ceil(addresses / ADDRESSES_PER_POINT);
}
