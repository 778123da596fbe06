import { LinkedAbort } from '@fresnel/adapters/chain';
import { Watchdog, whenAborted } from '@fresnel/platform';
import { type FollowService } from '../follow/follow.service';

/** Something that is repaired as long as ingest runs. */
export interface Repair {
  /** As in "… has not moved for 301 s". */
  name: string;
  /** Repairs until the signal aborts. */
  loop: { run(signal: AbortSignal): Promise<void> };
}

/** Repairs what consumers lack, or should not have, beside the ingest that follows the chain. */
export class RepairService {
  constructor(
    private readonly follow: Pick<FollowService, 'resumed'>,
    private readonly repairs: readonly Repair[],
  ) {}

  /**
   * Repairs until the signal aborts, once the resume point and the trees are known. If one repair fails, all end.
   *
   * @param watchdog watches each repair
   */
  async run(signal: AbortSignal, watchdog = new Watchdog()): Promise<void> {
    const end = new LinkedAbort(signal);
    await Promise.race([this.follow.resumed, whenAborted(end.signal)]);
    const running = this.repairs.map(({ name, loop }) =>
      watchdog
        .watch(name, () => loop.run(end.signal))
        .finally(() => {
          end.abort();
        }),
    );
    await Promise.allSettled(running);
    await Promise.all(running);
  }
}
