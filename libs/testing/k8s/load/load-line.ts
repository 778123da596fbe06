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

/** What a pod that subscribes to everything does. */
export interface SubscriberOptions {
  url: string;
  from: { slot: number };
}

/** A line that a pod writes. `at` is the time in milliseconds of the pod's clock. */
export type LoadLine =
  | { kind: 'failure'; at: number; durationMs: number; method: string; reason: string }
  /** A proof of a later slot than all before. */
  | { kind: 'proof'; at: number; slot: number }
  | { kind: 'count'; at: number; answered: number; failed: number }
  /** A notification of a subscription. */
  | { kind: 'message'; type: 'slot'; slot: number }
  | { kind: 'message'; type: 'rollback'; slot: number }
  | { kind: 'message'; type: 'transaction' | 'amended'; slot: number; index: number; signature: string };

/** The longest time between two lines, in milliseconds. */
export function longestGap(lines: readonly { at: number }[]): number {
  return Math.max(0, ...lines.slice(1).map(({ at }, index) => at - lines[index].at));
}
