import { Gauge, type Logger, type Registry, whenAborted } from '@fresnel/platform';
import { timeout } from '@fresnel/platform/time';
import { type Redis } from 'ioredis';
import { CHARGE_POINTS } from './charge-points.script';
import { CONSUME_POINTS } from './consume-points.script';
import { windowKey } from './keys';
import { MemoryRateLimiter } from './memory-rate-limiter';
import { type Allowance, type RateLimit, type RateLimiter, resetSecondsOf } from './rate-limiter';
import { createRedisConnection } from './redis-connection';

export interface RedisRateLimiterOptions {
  /** `redis:`, or `rediss:` for TLS. */
  url: string;
  limit: RateLimit;
  /** Prefix of all keys, so that deployments can share a Redis. Default: none. */
  keyPrefix?: string;
  /** How long Redis may take to respond before points are counted in memory. Default: half a second. */
  timeoutMs?: number;
}

/** More than Redis needs for a script of a few commands, and little for a caller. */
const TIMEOUT_MS = 500;
/** How long a start waits for Redis, which may load its data for minutes. */
const START_WAIT_MS = 1_000;

/**
 * Counts points in a Redis that gateways share. While Redis is unavailable, each gateway counts in its own memory:
 * requests do not wait, and a client has the whole limit at each gateway.
 *
 * Created with `open`, ended with `close`.
 */
export class RedisRateLimiter implements RateLimiter {
  private readonly fallback: MemoryRateLimiter;
  private readonly fallbackGauge: Gauge;
  private isFallbackActive = false;
  /** The last error of the connection. Errors of commands do not contain it. */
  private connectionError: Error | null = null;

  private constructor(
    readonly limit: RateLimit,
    private readonly redis: Redis,
    private readonly keyPrefix: string,
    private readonly logger: Logger,
    registry: Registry,
  ) {
    this.fallback = new MemoryRateLimiter(limit);
    this.fallbackGauge = new Gauge({
      name: 'fresnel_gateway_rate_limit_local_fallback',
      help: '1 while this process counts rate limits in its own memory because Redis is unavailable, else 0',
      registers: [registry],
    });
    redis.on('error', (error) => (this.connectionError = error));
    redis.on('ready', () => (this.connectionError = null));
  }

  /** Connects to Redis. Succeeds also if Redis is unavailable, or still loads its data. */
  static async open(
    { url, limit, keyPrefix = '', timeoutMs = TIMEOUT_MS }: RedisRateLimiterOptions,
    { logger, registry }: { logger: Logger; registry: Registry },
  ): Promise<RedisRateLimiter> {
    const redis = createRedisConnection(url, timeoutMs);
    const limiter = new RedisRateLimiter(limit, redis, keyPrefix, logger, registry);
    const expired = whenAborted(timeout(START_WAIT_MS)).then(() => Promise.reject(new Error('Redis is not ready yet')));
    await Promise.race([redis.connect(), expired]).catch((error: unknown) => {
      limiter.reportOutage(error);
    });
    return limiter;
  }

  consume(client: string, points: number): Promise<Allowance> {
    return this.orInMemory(
      () => this.consumeInRedis(client, points),
      () => this.fallback.consume(client, points),
    );
  }

  charge(client: string, points: number): Promise<void> {
    return this.orInMemory(
      async () => {
        await this.run(CHARGE_POINTS, client, points);
      },
      () => this.fallback.charge(client, points),
    );
  }

  /** Disconnects. Later points are counted in memory. */
  close(): void {
    this.redis.disconnect();
  }

  private async consumeInRedis(client: string, points: number): Promise<Allowance> {
    const result = await this.run(CONSUME_POINTS, client, points);
    if (!Array.isArray(result)) throw new Error('Redis did not answer with the points of a window');
    const [used, msBeforeNext] = result.map(Number);
    const isGranted = used <= this.limit.points;
    const remainingPoints = Math.max(0, this.limit.points - (isGranted ? used : used - points));
    return { isGranted, remainingPoints, resetSeconds: resetSecondsOf(msBeforeNext) };
  }

  private run(script: string, client: string, points: number): Promise<unknown> {
    const { windowSeconds, points: pointsOfWindow } = this.limit;
    return this.redis.eval(script, 1, windowKey(this.keyPrefix, client), points, windowSeconds, pointsOfWindow);
  }

  private async orInMemory<Result>(inRedis: () => Promise<Result>, inMemory: () => Promise<Result>): Promise<Result> {
    try {
      const result = await inRedis();
      this.reportRecovery();
      return result;
    } catch (error) {
      this.reportOutage(error);
      return inMemory();
    }
  }

  private reportOutage(error: unknown): void {
    if (this.isFallbackActive) return;
    this.isFallbackActive = true;
    this.fallbackGauge.set(1);
    this.logger.warn(
      { error: this.connectionError ?? error },
      'Redis is unavailable: rate limits are counted in memory',
    );
  }

  private reportRecovery(): void {
    if (!this.isFallbackActive) return;
    this.isFallbackActive = false;
    this.fallbackGauge.set(0);
    this.logger.info('rate limits are counted in Redis again');
  }
}
