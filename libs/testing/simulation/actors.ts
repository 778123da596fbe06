/** What becomes of the operations and timers of an actor: they go on, wait until it resumes, or never go on. */
export type ActorState = 'running' | 'frozen' | 'killed';

/**
 * The simulated processes. One thing happens at a time, so the code that runs belongs to the process whose operation or timer
 * was completed last.
 */
export class Actors {
  /** The process whose code runs; null: code of the simulation. */
  current: string | null = null;
  private readonly states = new Map<string, ActorState>();

  set(actor: string, state: ActorState): void {
    if (this.stateOf(actor) !== 'killed') this.states.set(actor, state);
  }

  stateOf(actor: string | null): ActorState {
    return actor === null ? 'running' : (this.states.get(actor) ?? 'running');
  }

  isRunning(actor: string | null): boolean {
    return this.stateOf(actor) === 'running';
  }

  /** Lets all frozen actors go on. */
  thaw(): void {
    for (const [actor, state] of this.states) if (state === 'frozen') this.states.set(actor, 'running');
  }
}
