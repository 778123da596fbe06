/** What a pod that sends requests does. */
export interface LoadOptions {
  url: string;
  /** Sent in turn. */
  calls: readonly { method: string; params: unknown }[];
  /** Number of calls in progress at once. */
  workers: number;
  /** Pause of a worker after each call. */
  pauseMs: number;
}

/** A line that the pod writes. `at` is the time in milliseconds of the pod's clock. */
export type LoadLine =
  | { kind: 'failure'; at: number; durationMs: number; method: string; reason: string }
  /** A proof of a later slot than all before. */
  | { kind: 'proof'; at: number; slot: number }
  | { kind: 'count'; at: number; answered: number; failed: number };
