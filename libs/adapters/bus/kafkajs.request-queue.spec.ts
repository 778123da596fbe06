import RequestQueue from 'kafkajs/src/network/requestQueue';
import { stopIdlePolling } from './kafkajs.request-queue';

describe('stopIdlePolling', () => {
  let queue: RequestQueue;
  beforeEach(() => {
    jest.useFakeTimers();
    stopIdlePolling();
    const logger = { debug: () => undefined };
    queue = new RequestQueue({ maxInFlightRequests: 1, requestTimeout: 1_000, clientId: '', broker: '', logger });
  });
  afterEach(() => {
    queue.destroy();
    jest.useRealTimers();
  });

  function push(correlationId: number, sent: number[]): void {
    queue.push({
      entry: { correlationId, reject: () => undefined, resolve: () => undefined },
      expectResponse: true,
      sendRequest: () => sent.push(correlationId),
    });
  }

  it('leaves an idle queue without timers', () => {
    queue.checkPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('sends waiting requests when a response arrives, and when the broker no longer throttles', () => {
    const sent: number[] = [];
    push(1, sent);
    push(2, sent);
    expect(sent).toEqual([1]);
    queue.fulfillRequest({ correlationId: 1, payload: null, size: 0 });
    expect(sent).toEqual([1, 2]);
    queue.fulfillRequest({ correlationId: 2, payload: null, size: 0 });
    queue.maybeThrottle(500);
    push(3, sent);
    jest.advanceTimersByTime(499);
    expect(sent).toEqual([1, 2]);
    jest.advanceTimersByTime(20);
    expect(sent).toEqual([1, 2, 3]);
  });
});
