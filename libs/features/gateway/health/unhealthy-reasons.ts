import { type IndexerStatus } from '@fresnel/adapters/store-read';
import { type GatewayOptions } from '../gateway.options';

/** Why answers may be out of date: one sentence a reason, the most severe first. Empty if the index is healthy. */
export function unhealthyReasons(
  { indexedSlot, chainTip, chainTipSeenAt }: IndexerStatus,
  { healthyLagSlots, tipStaleMs }: Pick<GatewayOptions, 'healthyLagSlots' | 'tipStaleMs'>,
  nowMs: number,
): string[] {
  if (indexedSlot === null) return ['Nothing is indexed yet'];
  if (chainTip === null || chainTipSeenAt === null) return ['The chain tip is not known yet'];
  const reasons: string[] = [];
  const lag = chainTip - indexedSlot;
  if (lag > healthyLagSlots) reasons.push(`Node is behind ${lag} slots`);
  const ageMs = nowMs - chainTipSeenAt.getTime();
  if (ageMs > tipStaleMs) reasons.push(`The chain tip was last seen ${Math.floor(ageMs / 1000)} seconds ago`);
  return reasons;
}
