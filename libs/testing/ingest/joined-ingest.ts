import { type FollowService, type RepairService } from '@fresnel/features/ingest';
import { type Watchdog } from '@fresnel/platform';

/** The modules of an ingest, run as its process runs them: when following ends or one of them fails, both end. */
export class JoinedIngest {
  constructor(
    readonly follow: FollowService,
    private readonly repair: RepairService,
  ) {}

  /** Runs until the signal aborts, or the source ends. */
  async run(signal: AbortSignal, watchdog?: Watchdog): Promise<void> {
    const stop = new AbortController();
    const running = AbortSignal.any([signal, stop.signal]);
    const end = () => {
      stop.abort();
    };
    const repairing = this.repair.run(running, watchdog);
    repairing.catch(end);
    await this.follow.run(running, watchdog).finally(end);
    await repairing;
  }
}
