/// <reference path="./kafkajs.d.ts" />
import RequestQueue from 'kafkajs/src/network/requestQueue';

const { prototype } = RequestQueue;
const { scheduleCheckPendingRequests } = prototype;

/**
 * Stops idle connections of KafkaJS from polling their empty queue every millisecond, which costs each process with a
 * consumer 6 % of a core (https://github.com/tulios/kafkajs/issues/1704). A queue is checked when it gets a request and
 * when a request is answered, so that only a request that waits needs a timer.
 */
export function stopIdlePolling(): void {
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
}
