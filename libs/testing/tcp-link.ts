import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server that can be cut, for as long as a test likes. */
export class TcpLink {
  private readonly sockets = new Set<Socket>();
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

  /** Lets connections through again. */
  async mend(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(Number(this.target.port), this.target.hostname);
      this.join(near, far);
      this.join(far, near);
    });
    await new Promise<void>((done) => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  private join(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.pipe(to);
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
