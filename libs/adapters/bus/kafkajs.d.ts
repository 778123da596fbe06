/** The parts of KafkaJS that its types omit. */
declare module 'kafkajs/src/network/requestQueue' {
  export default class RequestQueue {
    constructor(options: {
      maxInFlightRequests: number;
      requestTimeout: number;
      clientId: string;
      broker: string;
      logger: { debug(message: string): void };
    });
    readonly pending: readonly unknown[];
    push(request: {
      entry: { correlationId: number; reject(error: Error): void; resolve(value: unknown): void };
      expectResponse: boolean;
      sendRequest(): void;
    }): void;
    fulfillRequest(response: { correlationId: number; payload: Buffer | null; size: number }): void;
    maybeThrottle(clientSideThrottleTime: number): void;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests: (this: RequestQueue) => void;
    destroy(): void;
  }
}
