import { connect, createServer, type Server, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';
import { findFreePort } from '@fresnel/platform';

/** A TCP proxy in front of a server. A test can close or freeze its connections, or pause what clients send. */
export class TcpLink {
  /** How many connections clients have opened. */
  accepted = 0;
  private readonly sockets = new Set<Socket>();
  /** A connection is paused at the first chunk that matches. */
  private pausePattern: RegExp | null = null;
  private readonly pausedChunks = new Set<() => void>();
  private server: Server | null = null;

  private constructor(
    private target: URL,
    private readonly port: number,
    private readonly delayMs: number,
  ) {}

  /**
   * Listens on a free port, in front of the server of a URL.
   *
   * @param delayMs how long everything takes from a client to the server
   */
  static async to(url: string, delayMs = 0): Promise<TcpLink> {
    const link = new TcpLink(new URL(url), await findFreePort(), delayMs);
    await link.restore();
    return link;
  }

  /** The server's URL with the address of this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    const closed = new Promise((done) => server.close(done));
    this.drop();
    await closed;
  }

  /** Connections that are opened from now on lead to another server. */
  retarget(url: string): void {
    this.target = new URL(url);
  }

  /** Closes all connections, and accepts new ones. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Forwards nothing more on the connections that are open, and keeps them open: for both sides the other is silent. */
  freeze(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** From now on, stops forwarding on a connection at the first chunk from a client that matches. */
  pauseAt(pattern: RegExp): void {
    this.pausePattern = pattern;
  }

  /** The number of paused connections. */
  get pausedConnections(): number {
    return this.pausedChunks.size;
  }

  /** Forwards the paused chunks and all that follow. */
  resume(): void {
    this.pausePattern = null;
    for (const forward of this.pausedChunks) forward();
    this.pausedChunks.clear();
  }

  /** Accepts connections again after `cut`. */
  async restore(): Promise<void> {
    const server = createServer((client) => {
      this.accepted++;
      const upstream = connect(Number(this.target.port), this.target.hostname);
      this.join(client, upstream, this.createPauseStream());
      this.join(upstream, client);
    });
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.server = server;
  }

  private createPauseStream(): Transform {
    const transform = (chunk: Buffer, _: string, done: TransformCallback) => {
      const forward = () => {
        done(null, chunk);
      };
      if (this.pausePattern?.test(chunk.toString('latin1'))) this.pausedChunks.add(forward);
      else forward();
    };
    return new Transform({ transform });
  }

  private join(from: Socket, to: Socket, pauseStream?: Transform): void {
    this.sockets.add(from);
    if (!pauseStream) from.pipe(to);
    else if (this.delayMs === 0) from.pipe(pauseStream).pipe(to);
    else from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), this.delayMs));
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
