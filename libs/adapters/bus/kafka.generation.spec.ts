import { joinGenerations } from './kafka.generation';

describe('joinGenerations', () => {
  it('has the generations of the first call for all logs, also after a reset', async () => {
    let stored = new Map([['a', 7]]);
    const find = joinGenerations(() => Promise.resolve(stored));
    expect(await find('a')).toBe(7);
    stored = new Map([
      ['a', 8],
      ['b', 8],
    ]);
    expect([await find('a'), await find('b')]).toEqual([7, 1]);
  });

  it('has the same generations for calls at the same time', async () => {
    let generation = 1;
    const find = joinGenerations(() => Promise.resolve(new Map([['a', generation++]])));
    expect(await Promise.all([find('a'), find('a')])).toEqual([1, 1]);
    expect(await find('a')).toBe(1);
  });

  it('asks again after a failure', async () => {
    const results = [Promise.reject(new Error('unavailable')), Promise.resolve(new Map([['a', 3]]))];
    const find = joinGenerations(() => results.shift() ?? Promise.reject(new Error('asked again')));
    await expect(find('a')).rejects.toThrow('unavailable');
    expect([await find('a'), await find('a')]).toEqual([3, 3]);
  });
});
