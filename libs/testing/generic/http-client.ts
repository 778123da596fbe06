import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** A raw HTTP response. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The body as text. */
  text: string;
}

export interface HttpRequestToSend {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Whether the request may use the connection of an earlier one. Default: it opens a connection and closes it. */
  reusesConnection?: boolean;
}

const KEPT_CONNECTIONS = new Agent({ keepAlive: true });

/** Sends one request. */
export function sendHttp(url: string, toSend: HttpRequestToSend = {}): Promise<HttpResponse> {
  const { method = 'POST', headers = { 'content-type': 'application/json' }, body } = toSend;
  const agent = toSend.reusesConnection ? KEPT_CONNECTIONS : false;
  return new Promise((done, fail) => {
    const outgoing = request(url, { method, headers, agent }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', fail);
      incoming.on('end', () => {
        const body = Buffer.concat(chunks);
        done({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body,
          get text() {
            return body.toString('utf8');
          },
        });
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // The server may have closed a kept connection at the same moment.
      if (outgoing.reusedSocket && error.code === 'ECONNRESET') done(sendHttp(url, toSend));
      else fail(error);
    });
    outgoing.end(body);
  });
}

/** Sends a value as JSON and reads JSON back. */
export async function postJson(url: string, value: unknown): Promise<{ status: number; body: unknown }> {
  const { status, text } = await sendHttp(url, { body: JSON.stringify(value), reusesConnection: true });
  return { status, body: JSON.parse(text) };
}

/** A TCP connection that sends and receives raw bytes. */
export class RawConnection {
  private received = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (chunk: string) => (this.received += chunk));
    socket.on('error', () => undefined);
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((done, fail) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('error', fail);
      socket.once('connect', () => {
        done(new RawConnection(socket));
      });
    });
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Waits until the received bytes match. @returns all received bytes */
  async receive(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.received)) {
      await new Promise((next) => this.socket.once('data', next));
    }
    return this.received;
  }

  /** Waits until the peer closes the connection. @returns all received bytes */
  async waitForEnd(): Promise<string> {
    if (!this.socket.destroyed) await new Promise((ended) => this.socket.once('close', ended));
    return this.received;
  }

  /** Closes the connection without sending anything. */
  destroy(): void {
    this.socket.destroy();
  }
}
