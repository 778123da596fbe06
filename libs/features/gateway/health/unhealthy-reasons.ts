import { type IndexerStatus } from '@fresnel/adapters/store-read';
import { type GatewayOptions } from '../gateway.options';

export type HealthLimits = Pick<GatewayOptions, 'GATEWAY_HEALTHY_LAG_SLOTS' | 'GATEWAY_HEALTHY_LAG_SECONDS'>;

/** The tip is read every few seconds. */
const TIP_STALE_MS = 60_000;

/**
 * Why answers may be out of date: one sentence a reason, the most severe first. Empty if the index is healthy. Slots take different
 * times on different chains, so the index is behind only if its lag is too large both in slots and in time.
 */
export function unhealthyReasons(status: IndexerStatus, limits: HealthLimits, nowMs: number): string[] {
  const { indexedSlot, chainTip, chainTipSeenAt } = status;
  if (indexedSlot === null) return ['Nothing is indexed yet'];
  if (chainTip === null || chainTipSeenAt === null) return ['The chain tip is not known yet'];
  const reasons: string[] = [];
  const lag = slotsBehind(status, limits, nowMs);
  if (lag > 0) reasons.push(`Node is behind ${lag} slots`);
  const ageMs = nowMs - chainTipSeenAt.getTime();
  if (ageMs > TIP_STALE_MS) reasons.push(`The chain tip was last seen ${Math.floor(ageMs / 1000)} seconds ago`);
  return reasons;
}

/** What Solana nodes answer to `GET /health`: `ok`, `behind N` (slots), or `unknown`. */
export function healthText(status: IndexerStatus, limits: HealthLimits, nowMs: number): string {
  const lag = slotsBehind(status, limits, nowMs);
  if (lag > 0) return `behind ${lag}`;
  return unhealthyReasons(status, limits, nowMs).length === 0 ? 'ok' : 'unknown';
}

/** The lag if it is too large, else 0. */
function slotsBehind(
  { indexedSlot, indexedBlockTime, chainTip }: IndexerStatus,
  limits: HealthLimits,
  nowMs: number,
): number {
  if (indexedSlot === null || chainTip === null) return 0;
  const lag = chainTip - indexedSlot;
  const isRecent = indexedBlockTime !== null && nowMs / 1000 - indexedBlockTime <= limits.GATEWAY_HEALTHY_LAG_SECONDS;
  return lag > limits.GATEWAY_HEALTHY_LAG_SLOTS && !isRecent ? lag : 0;
}
