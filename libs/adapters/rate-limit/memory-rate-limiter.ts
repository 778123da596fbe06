import { after, now, type Timer } from '@fresnel/platform/time';
import { type Allowance, lengthOfDebtMs, type RateLimit, type RateLimiter, resetSecondsOf } from './rate-limiter';

interface Window {
  usedPoints: number;
  endsAt: number;
  end: Timer;
}

/** Counts points in this process. */
export class MemoryRateLimiter implements RateLimiter {
  private readonly windows = new Map<string, Window>();

  constructor(readonly limit: RateLimit) {}

  consume(client: string, points: number): Promise<Allowance> {
    const window = this.windowOf(client);
    const isGranted = window.usedPoints + points <= this.limit.points;
    if (isGranted) window.usedPoints += points;
    const remainingPoints = Math.max(0, this.limit.points - window.usedPoints);
    return Promise.resolve({ isGranted, remainingPoints, resetSeconds: resetSecondsOf(window.endsAt - now()) });
  }

  charge(client: string, points: number): Promise<void> {
    const window = this.windowOf(client);
    window.usedPoints += points;
    const debt = Math.min(points, window.usedPoints - this.limit.points);
    if (debt > 0) {
      window.end.cancel();
      window.endsAt += lengthOfDebtMs(this.limit, debt);
      window.end = this.endAt(client, window.endsAt);
    }
    return Promise.resolve();
  }

  private windowOf(client: string): Window {
    let window = this.windows.get(client);
    if (!window || window.endsAt <= now()) {
      window?.end.cancel();
      const endsAt = now() + this.limit.windowSeconds * 1000;
      window = { usedPoints: 0, endsAt, end: this.endAt(client, endsAt) };
      this.windows.set(client, window);
    }
    return window;
  }

  /** Forgets a window that nobody asks for again. */
  private endAt(client: string, endsAt: number): Timer {
    const timer = after(endsAt - now(), () => this.windows.delete(client));
    timer.unref();
    return timer;
  }
}
