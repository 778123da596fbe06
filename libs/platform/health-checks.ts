import { messageOf } from '@fresnel/domain/primitives';
import { sleep } from './time';

/** @returns the reasons why the process cannot do its work, one sentence each; empty if it is ready */
export type HealthCheck = () => Promise<string[]>;

/** @returns the reasons why only a restart can help, one sentence each; empty if work moves or is attempted */
export type LivenessCheck = () => string[];

/** A probe of Kubernetes waits one second by default, a load balancer a few. */
const TIMEOUT_MS = 3_000;

/** The health checks of all modules. */
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];
  private readonly livenessChecks: LivenessCheck[] = [];
  private readonly drainListeners: (() => void)[] = [];
  private draining = false;

  constructor(private readonly timeoutMs = TIMEOUT_MS) {}

  /** Adds a check of readiness. It counts as a fault if it fails, or takes too long. */
  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** Adds a check of liveness. A process that waits for a dependency is live. */
  addLiveness(check: LivenessCheck): void {
    this.livenessChecks.push(check);
  }

  /** Whether the process is about to close: it still serves requests, and must not receive new ones. */
  get isDraining(): boolean {
    return this.draining;
  }

  /** From now on the process is not ready. */
  startDraining(): void {
    this.draining = true;
    for (const listener of this.drainListeners.splice(0)) listener();
  }

  /** Calls a listener once, when the process starts draining. */
  onDraining(listener: () => void): void {
    this.drainListeners.push(listener);
  }

  /** The reasons why the process is not ready. */
  async findFaults(): Promise<string[]> {
    if (this.draining) return ['Shutting down'];
    return (await Promise.all(this.checks.map((check) => this.run(check)))).flat();
  }

  /** The reasons why the process should be restarted. */
  findStuck(): string[] {
    return this.livenessChecks.flatMap((check) => check());
  }

  private async run(check: HealthCheck): Promise<string[]> {
    const expiry = new AbortController();
    const { timeoutMs } = this;
    const expired = sleep(timeoutMs, expiry.signal).then(
      () => [`A dependency did not answer within ${timeoutMs / 1000} s`],
      () => [],
    );
    try {
      return await Promise.race([check(), expired]);
    } catch (error) {
      return [messageOf(error)];
    } finally {
      expiry.abort();
    }
  }
}
