import { type IndexerStatus } from '@fresnel/adapters/store-read';
import { type GatewayOptions } from '../gateway.options';

/** Why answers may be out of date, a sentence each, the gravest first; none when they are not. */
export function findFaults(
  { indexedSlot, chainTip, chainTipSeenAt }: IndexerStatus,
  { healthyLagSlots, tipStaleMs }: Pick<GatewayOptions, 'healthyLagSlots' | 'tipStaleMs'>,
  nowMs: number,
): string[] {
  if (indexedSlot === null) return ['Nothing is indexed yet'];
  if (chainTip === null || chainTipSeenAt === null) return ["The chain's tip is not known yet"];
  const faults: string[] = [];
  const lag = chainTip - indexedSlot;
  if (lag > healthyLagSlots) faults.push(`Node is behind ${lag} slots`);
  const ageMs = nowMs - chainTipSeenAt.getTime();
  if (ageMs > tipStaleMs) faults.push(`The chain's tip was last seen ${Math.floor(ageMs / 1000)} seconds ago`);
  return faults;
}
