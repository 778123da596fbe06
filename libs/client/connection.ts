import { type From } from './delivery';
import { type Message, readFrame } from './messages';

/** What a transaction is matched by: it matches if an account that it opens or closes has any of the values. */
export type Filter =
  | 'all'
  | {
      hashes?: readonly string[];
      addresses?: readonly string[];
      owners?: readonly string[];
      tokenOwners?: readonly string[];
      delegates?: readonly string[];
      mints?: readonly string[];
      trees?: readonly string[];
    };

/** The part of the WebSocket of browsers, Node and `ws` that is used here. */
export interface WebSocketLike {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

export type WebSocketClass = new (url: string) => WebSocketLike;

/** The server refuses the subscription. */
export class SubscriptionError extends Error {
  /** @param code of JSON-RPC: -32601 no subscriptions here, -32602 invalid filter or cursor, -32000 the slot is not in the index */
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
    this.name = 'SubscriptionError';
  }
}

export interface Subscribe {
  filter: Filter;
  from: From | undefined;
  details: 'full' | 'signatures';
}

/** A server sends at least its slot. A connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 60_000;
/** A receiver that has so many messages before it is cut off, and continues from its cursor. */
const MAX_WAITING = 10_000;

/**
 * The messages of one connection with one subscription. Ends when the connection ends or `signal` aborts.
 *
 * @throws SubscriptionError if the server refuses
 */
export async function* receive(
  socket: WebSocketLike,
  { filter, from, details }: Subscribe,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const inbox = new Inbox();
  const end = () => {
    inbox.end();
  };
  let silence = setTimeout(end, MAX_SILENCE_MS);
  socket.onopen = () => {
    const options = { ...(from !== undefined && { from }), details };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'compressionSubscribe', params: [filter, options] }));
  };
  socket.onmessage = ({ data }: { data: unknown }) => {
    clearTimeout(silence);
    silence = setTimeout(end, MAX_SILENCE_MS);
    if (!inbox.add(String(data))) socket.close();
  };
  socket.onclose = end;
  // A close follows.
  socket.onerror = () => undefined;
  signal.addEventListener('abort', end);
  try {
    for await (const text of inbox) {
      if (signal.aborted) return;
      const frame = readFrame(text);
      if (frame.kind === 'error') throw new SubscriptionError(frame.code, frame.message);
      if (frame.kind === 'message') yield frame.message;
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    socket.onmessage = null;
    socket.close();
  }
}

/** Texts in order of arrival, for one reader, up to a bound. */
class Inbox implements AsyncIterable<string> {
  private texts: string[] = [];
  private isEnded = false;
  private wake: () => void = () => undefined;

  /** Returns false if it takes no more. */
  add(text: string): boolean {
    if (this.isEnded) return false;
    this.texts.push(text);
    if (this.texts.length >= MAX_WAITING) this.isEnded = true;
    this.wake();
    return !this.isEnded;
  }

  end(): void {
    this.isEnded = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void> {
    while (true) {
      const arrived = this.texts;
      this.texts = [];
      yield* arrived;
      if (this.texts.length > 0) continue;
      if (this.isEnded) return;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
