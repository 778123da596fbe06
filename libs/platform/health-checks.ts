/** @returns the reasons why the process cannot do its work, one sentence each; empty if it is ready */
export type HealthCheck = () => Promise<string[]>;

/** The health checks of all modules. The process is ready when none of them finds a fault. */
export class HealthChecks {
  private readonly checks: HealthCheck[] = [];

  add(check: HealthCheck): void {
    this.checks.push(check);
  }

  /** @throws the error of a check that fails */
  async findFaults(): Promise<string[]> {
    return (await Promise.all(this.checks.map((check) => check()))).flat();
  }
}
