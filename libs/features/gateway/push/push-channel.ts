/** The connection of a client, as a subscription sees it. */
export interface PushChannel {
  /** The client whose rate limit applies. */
  readonly client: string;
  /** Aborts when the connection has closed. */
  readonly signal: AbortSignal;
  /** Whether the client has so much unread that nothing more should be sent. */
  readonly isClogged: boolean;
  send(text: string | Buffer): void;
  /** Resolves when the client has read most of what was sent, or the connection has closed. */
  waitUntilRead(): Promise<void>;
  /** Resolves when the client has the points, or the connection has closed. */
  takePoints(points: number): Promise<void>;
  /** Closes the connection so that the client continues from its cursor. */
  restart(): void;
  /** Takes points for work that is done. */
  charge(points: number): void;
}
