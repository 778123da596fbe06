import { ArrayTaskQueue, queueOptionsSymbol, type TaskQueue } from 'piscina';

type QueuedTask = Parameters<TaskQueue['push']>[0];

/** Property of a task that waits until no task without it waits. */
export const DEFERRED = { [queueOptionsSymbol]: {} };

/** Tasks that wait for a thread: the deferred ones after all others, otherwise in the order of their arrival. */
export class PriorityQueue implements TaskQueue {
  private readonly urgent = new ArrayTaskQueue();
  private readonly deferred = new ArrayTaskQueue();

  get size(): number {
    return this.urgent.size + this.deferred.size;
  }

  push(task: QueuedTask): void {
    this.queueOf(task).push(task);
  }

  /** Puts a task back for which no thread was free. */
  unshift(task: QueuedTask): void {
    this.queueOf(task).unshift(task);
  }

  shift(): QueuedTask | null {
    return this.urgent.shift() ?? this.deferred.shift();
  }

  remove(task: QueuedTask): void {
    this.queueOf(task).remove(task);
  }

  private queueOf(task: QueuedTask): ArrayTaskQueue {
    return task[queueOptionsSymbol] === null ? this.urgent : this.deferred;
  }
}
