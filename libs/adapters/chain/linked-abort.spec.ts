import { getEventListeners } from 'node:events';
import { LinkedAbort } from './linked-abort';

describe('LinkedAbort', () => {
  it('aborts with its parent signal, for the same reason', () => {
    const parent = new AbortController();
    const linked = new LinkedAbort(parent.signal);
    expect(linked.signal.aborted).toBe(false);
    parent.abort(new Error('enough'));
    expect(linked.signal.reason).toEqual(new Error('enough'));
  });

  it('is aborted from the start if its parent is', () => {
    expect(new LinkedAbort(AbortSignal.abort('over')).signal.reason).toBe('over');
  });

  it('aborts without its parent, and removes its listener there', () => {
    const parent = new AbortController();
    const linked = new LinkedAbort(parent.signal);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    linked.abort();
    expect([linked.signal.aborted, parent.signal.aborted]).toEqual([true, false]);
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });
});
