import { getEventListeners } from 'node:events';
import { LinkedAbort } from './linked-abort';

describe('LinkedAbort', () => {
  it('ends with the signal it hangs on, for the same reason', () => {
    const parent = new AbortController();
    const linked = new LinkedAbort(parent.signal);
    expect(linked.signal.aborted).toBe(false);
    parent.abort(new Error('enough'));
    expect(linked.signal.reason).toEqual(new Error('enough'));
  });

  it('has ended from the start where that signal has', () => {
    expect(new LinkedAbort(AbortSignal.abort('over')).signal.reason).toBe('over');
  });

  it('ends on its own without the other, and leaves nothing behind there', () => {
    const parent = new AbortController();
    const linked = new LinkedAbort(parent.signal);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    linked.abort();
    expect([linked.signal.aborted, parent.signal.aborted]).toEqual([true, false]);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });
});
