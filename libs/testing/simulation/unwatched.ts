import { Watchdog } from '@fresnel/platform';

/** Watches nothing: the asynchronous context that it needs slows down every promise, and a run ends by itself if work hangs. */
export class Unwatched extends Watchdog {
  override watch<Result>(_name: string, act: () => Promise<Result>): Promise<Result> {
    return act();
  }
}
