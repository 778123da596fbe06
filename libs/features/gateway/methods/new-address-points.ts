import { MAX_ADDRESSES } from '@fresnel/contracts/rpc';

const ADDRESSES_PER_POINT = 100;

/** A point for the call and one for every hundred addresses begun. Longer lists are refused unread and cost no more. */
export function newAddressPoints(params: unknown): number {
  const addresses = Array.isArray(params) ? Math.min(params.length, MAX_ADDRESSES) : 0;
  return 1 + Math.ceil(addresses / ADDRESSES_PER_POINT);
}
