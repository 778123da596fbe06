import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the event loop is probed. A probe that comes late measures the delay. */
const RESOLUTION_MS = 20;
const INTERVAL_MS = 1_000;

/** Measures by how much the event loop delays timers, as the mean of the last second. */
export class EventLoopDelay {
  private readonly histogram: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  private readonly timer: NodeJS.Timeout;
  private lastMeanMs = 0;

  constructor() {
    this.histogram.enable();
    this.timer = setInterval(() => {
      this.sample();
    }, INTERVAL_MS).unref();
  }

  get meanMs(): number {
    return this.lastMeanMs;
  }

  stop(): void {
    clearInterval(this.timer);
    this.histogram.disable();
  }

  private sample(): void {
    const { mean } = this.histogram;
    // Without a probe the mean is NaN: the loop turned for the first time just now.
    this.lastMeanMs = Number.isNaN(mean) ? INTERVAL_MS : Math.max(0, mean / 1e6 - RESOLUTION_MS);
    this.histogram.reset();
  }
}
