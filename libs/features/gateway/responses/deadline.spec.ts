import { DeadlineExceededError, withDeadline } from './deadline';

describe('withDeadline', () => {
  it('returns the result or the error of the work', async () => {
    await expect(withDeadline(Promise.resolve(7), 1000)).resolves.toBe(7);
    await expect(withDeadline(Promise.reject(new Error('no')), 1000)).rejects.toThrow('no');
  });

  it('throws when the work takes too long, and ignores its later error', async () => {
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_, reject) => (fail = reject));
    await expect(withDeadline(work, 5)).rejects.toThrow(DeadlineExceededError);
    fail(new Error('too late'));
    await new Promise(setImmediate);
  });
});
