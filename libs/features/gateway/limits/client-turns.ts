import { RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { Inject, Injectable } from '@nestjs/common';

/** The calls of one client. */
interface ClientCalls {
  runningPoints: number;
  /** Calls that wait for their turn, oldest first. */
  waiting: { points: number; start: () => void }[];
}

/** A client's calls of at most this many points run at once; a call of more points runs alone. */
const MAX_RUNNING_POINTS = 100;

/**
 * Lets the expensive calls of one client run one after the other, so that the calls of others do not wait behind all of
 * them in the database. Without a rate limit, clients are not distinguished, and all calls run at once.
 */
@Injectable()
export class ClientTurns {
  private readonly clients = new Map<string, ClientCalls>();

  constructor(@Inject(RATE_LIMITER) private readonly limiter: RateLimiter | null) {}

  /** Runs a call when it is its turn. */
  async run<Value>(client: string, points: number, call: () => Promise<Value>): Promise<Value> {
    if (!this.limiter) return call();
    const calls = this.clients.get(client) ?? { runningPoints: 0, waiting: [] };
    this.clients.set(client, calls);
    if (calls.waiting.length > 0 || !fits(calls, points)) {
      await new Promise<void>((start) => calls.waiting.push({ points, start }));
    } else {
      calls.runningPoints += points;
    }
    try {
      return await call();
    } finally {
      calls.runningPoints -= points;
      startWaiting(calls);
      if (calls.runningPoints === 0) this.clients.delete(client);
    }
  }
}

function fits({ runningPoints }: ClientCalls, points: number): boolean {
  return runningPoints === 0 || runningPoints + points <= MAX_RUNNING_POINTS;
}

function startWaiting(calls: ClientCalls): void {
  for (let next = calls.waiting.at(0); next && fits(calls, next.points); next = calls.waiting.at(0)) {
    calls.waiting.shift();
    calls.runningPoints += next.points;
    next.start();
  }
}
