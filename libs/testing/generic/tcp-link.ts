import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

/** A way to a server that can be cut, or on which something is kept back, for as long as a test likes. */
export class TcpLink {
  private readonly sockets = new Set<Socket>();
  /** What is kept back, with all that follows it on its connection. */
  private held: RegExp | null = null;
  private readonly gates = new Set<() => void>();
  private server: Server | null = null;
  private port = 0;

  private constructor(private readonly target: URL) {}

  /** Opens a way to the server of a URL. */
  static async to(url: string): Promise<TcpLink> {
    const link = new TcpLink(new URL(url));
    await link.mend();
    return link;
  }

  /** The URL by way of this link. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Ends all connections and refuses new ones. */
  async cut(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    const closed = new Promise((done) => server.close(done));
    this.drop();
    await closed;
  }

  /** Ends all connections; new ones are let through. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** From now on keeps back what clients send from the first piece on that matches. */
  hold(pattern: RegExp): void {
    this.held = pattern;
  }

  /** How many connections have something kept back. */
  get heldConnections(): number {
    return this.gates.size;
  }

  /** Lets everything through that was kept back, and what follows. */
  release(): void {
    this.held = null;
    for (const open of this.gates) open();
    this.gates.clear();
  }

  /** Lets connections through again. */
  async mend(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      this.join(near, far, this.createGate());
      this.join(far, near);
    });
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  private createGate(): Transform {
    const pass = (chunk: Buffer, _: string, done: TransformCallback) => {
      const open = () => {
        done(null, chunk);
      };
      if (this.held?.test(chunk.toString('latin1'))) this.gates.add(open);
      else open();
    };
    return new Transform({ transform: pass });
  }

  private join(from: Socket, to: Socket, gate?: Transform): void {
    this.sockets.add(from);
    if (gate) from.pipe(gate).pipe(to);
    else from.pipe(to);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
