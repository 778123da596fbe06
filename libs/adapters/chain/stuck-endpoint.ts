import { now } from '@fresnel/platform/time';
import { type SolanaRpc } from './solana-rpc';

/** Leaves an endpoint that answers, but gives no new block for a while: it may be stuck, or list nothing. Another one may go on. */
export class StuckEndpoint {
  private since = now();

  constructor(
    private readonly rpc: SolanaRpc,
    private readonly afterMs: number,
  ) {}

  /** Called when a block was found. */
  reset(): void {
    this.since = now();
  }

  leave(): void {
    if (now() - this.since < this.afterMs) return;
    this.rpc.moveOn();
    this.reset();
  }
}
