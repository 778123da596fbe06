import { queueOptionsSymbol } from 'piscina';
import { DEFERRED, PriorityQueue } from './priority-queue';

describe('PriorityQueue', () => {
  const urgent = (id: number) => ({ id, [queueOptionsSymbol]: null });
  const deferred = (id: number) => ({ id, ...DEFERRED });

  it('returns deferred tasks after all others, and otherwise the first one first', () => {
    const queue = new PriorityQueue();
    const [one, two, three, four, five] = [deferred(1), urgent(2), deferred(3), urgent(4), urgent(5)];
    for (const task of [one, two, three, four]) queue.push(task);
    expect([queue.shift(), queue.size]).toEqual([two, 3]);
    queue.push(five);
    expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([four, five, one, three]);
    expect([queue.shift(), queue.size]).toEqual([null, 0]);
  });

  it('returns a task that was put back before those that came later', () => {
    const queue = new PriorityQueue();
    const [one, two, three] = [deferred(1), deferred(2), urgent(3)];
    for (const task of [two, three]) queue.push(task);
    queue.unshift(one);
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual([three, one, two]);
  });

  it('removes tasks of either kind', () => {
    const queue = new PriorityQueue();
    const tasks = [deferred(1), urgent(2), deferred(3), urgent(4)];
    for (const task of tasks) queue.push(task);
    queue.remove(tasks[0]);
    queue.remove(tasks[1]);
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual([tasks[3], tasks[2], null]);
  });
});
