import { reportProgress } from '../progress';

/** A call in the future. */
export interface Timer {
  /** The call is not made. Does nothing after the call. */
  cancel(): void;
  /** The process may end before the call. */
  unref(): void;
}

/** Where clocks and timers come from. */
export interface TimeSource {
  /** Milliseconds of a clock that never goes back. Only differences have a meaning. */
  now(): number;
  /** Milliseconds since the Unix epoch. This clock can be set, and then jumps. */
  wallClock(): number;
  /** Makes a call once, after `ms`. */
  after(ms: number, call: () => void): Timer;
}

const SYSTEM_TIME: TimeSource = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  after: (ms, call) => {
    const timeout = setTimeout(call, ms);
    return {
      cancel: () => {
        clearTimeout(timeout);
      },
      unref: () => {
        timeout.unref();
      },
    };
  },
};

let source = SYSTEM_TIME;

/**
 * Replaces the clocks and timers of this process, so that a simulation or a test decides how time passes. Product code
 * never calls it. Timers that exist already keep their source.
 *
 * @returns restores the replaced source
 */
export function useTime(replacement: TimeSource): () => void {
  const replaced = source;
  source = replacement;
  return () => {
    source = replaced;
  };
}

/** Milliseconds of a clock that never goes back. Only differences have a meaning. */
export function now(): number {
  return source.now();
}

/** Milliseconds since the Unix epoch. This clock can be set, and then jumps: durations are differences of `now`. */
export function wallClock(): number {
  return source.wallClock();
}

/** Makes a call once, after `ms`. */
export function after(ms: number, call: () => void): Timer {
  return source.after(ms, call);
}

/** Makes a call every `ms`, the first one after `ms`. */
export function every(ms: number, call: () => void): Pick<Timer, 'cancel'> {
  const next = () => {
    timer = after(ms, next);
    call();
  };
  let timer = after(ms, next);
  return {
    cancel: () => {
      timer.cancel();
    },
  };
}

/** Resolves after `ms`. Watched work that pauses is not stuck. @throws AbortError as soon as the signal aborts */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  reportProgress(ms);
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      timer.cancel();
      reject(new AbortError(signal));
    };
    const timer = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves after `ms`, or as soon as the signal aborts. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => undefined);
}

/** A signal that aborts after `ms`, with a TimeoutError. It does not keep the process running. */
export function timeout(ms: number): AbortSignal {
  const controller = new AbortController();
  const expire = () => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  };
  after(ms, expire).unref();
  return controller.signal;
}

/** The error with which functions of Node reject when their signal aborts. */
class AbortError extends Error {
  override readonly name = 'AbortError';
  readonly code = 'ABORT_ERR';

  constructor(signal?: AbortSignal) {
    super('The operation was aborted', { cause: signal?.reason });
  }
}
