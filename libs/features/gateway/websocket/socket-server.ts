import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type Duplex } from 'node:stream';
import { NodeSockets } from '@fresnel/adapters/chain';
import { RATE_LIMITER, type RateLimiter } from '@fresnel/adapters/rate-limit';
import { ConfigError, Counter, Gauge, HealthChecks, Registry } from '@fresnel/platform';
import { every, type Timer } from '@fresnel/platform/time';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { WebSocketServer } from 'ws';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { clientOf } from '../limits/client-address';
import { createTrust, hopsOf, type Trust } from '../limits/trusted-proxies';
import { PushService } from '../push/client-subscriptions';
import { CLOSE, ClientSocket } from './client-socket';

/** The longest frame of a client. */
const MAX_FRAME_BYTES = 64 * 1024;
const CHECK_ALIVE_MS = 30_000;
/** The share of one client in all connections, if clients are distinguished. */
const CLIENT_SHARE = 0.25;

/** Takes WebSockets at `/` of its HTTP servers, within bounds. */
@Injectable()
export class SocketServer implements BeforeApplicationShutdown {
  private readonly handshakes = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  private readonly sockets = new Map<ClientSocket, string>();
  private readonly trust: Trust | false;
  private readonly closed: Counter<'code'>;
  /** The server that has only WebSockets. */
  private server: Server | null = null;
  private heartbeat: Pick<Timer, 'cancel'> | null = null;
  private isClosing = false;

  constructor(
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
    /** Null: subscriptions are not forwarded. */
    @Inject(NodeSockets) private readonly node: NodeSockets | null,
    private readonly push: PushService,
    @Inject(RATE_LIMITER) private readonly limiter: RateLimiter | null,
    private readonly checks: HealthChecks,
    registry: Registry,
  ) {
    this.trust = createTrust(options.GATEWAY_TRUSTED_PROXIES);
    const { sockets } = this;
    new Gauge({
      name: 'fresnel_gateway_websockets',
      help: 'Open WebSockets of clients.',
      registers: [registry],
      collect() {
        this.set(sockets.size);
      },
    });
    new Gauge({
      name: 'fresnel_gateway_subscriptions',
      help: 'Subscriptions of clients at the Solana node.',
      registers: [registry],
      collect() {
        this.set([...sockets.keys()].reduce((sum, socket) => sum + socket.forwardedSubscriptions, 0));
      },
    });
    this.closed = new Counter({
      name: 'fresnel_gateway_websockets_closed_total',
      help: 'WebSockets that the gateway has closed, by code.',
      labelNames: ['code'],
      registers: [registry],
    });
    for (const code of Object.values(CLOSE)) this.closed.inc({ code }, 0);
  }

  /** Takes the WebSockets of a server that answers other requests. */
  attach(server: Server): void {
    // Node asks from 24.9 on, and from 26 on it gives the listener of upgrades no body. Before, every offer comes to the listener.
    Object.assign(server, { shouldUpgradeCallback: isWebSocket });
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      if (!isWebSocket(request)) {
        answerWithoutUpgrade(server, request, stream, head);
        return;
      }
      stream.on('error', () => undefined);
      void this.upgrade(request, stream, head);
    });
    if (this.heartbeat) return;
    this.heartbeat = every(CHECK_ALIVE_MS, () => {
      for (const socket of this.sockets.keys()) socket.checkAlive();
    });
    this.checks.onDraining(() => {
      this.closeSockets();
    });
  }

  /** Listens on a port for WebSockets only. @throws ConfigError if it is in use */
  async listen(host: string, port: number): Promise<void> {
    const server = createServer((_, response) => {
      response.writeHead(426, { Connection: 'Upgrade', Upgrade: 'websocket' }).end();
    });
    this.attach(server);
    server.listen(port, host);
    try {
      await once(server, 'listening');
    } catch (error) {
      throw new ConfigError(`GATEWAY_WS_PORT: cannot listen on port ${port}; another one can be set, or 0 for none`, {
        cause: error,
      });
    }
    this.server = server;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const closed = this.server && once(this.server, 'close');
    this.server?.close();
    this.server?.closeAllConnections();
    this.closeSockets();
    this.heartbeat?.cancel();
    await closed;
  }

  private closeSockets(): void {
    this.isClosing = true;
    for (const socket of this.sockets.keys()) socket.close(CLOSE.restart);
  }

  private async upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const forwardedFor = request.headers['x-forwarded-for'];
    const client = clientOf(hopsOf(request.socket.remoteAddress, forwardedFor?.toString(), this.trust));
    const refusal = this.findRefusal(request, client) ?? (await this.findLimit(client));
    if (refusal !== null) {
      stream.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.handshakes.handleUpgrade(request, stream, head, (accepted) => {
      const { limiter, node, push } = this;
      const { GATEWAY_MAX_SUBSCRIPTIONS: maxSubscriptions } = this.options;
      const onClose = (code: number) => {
        this.closed.inc({ code });
      };
      const socket = new ClientSocket(accepted, { client, limiter, node, push, maxSubscriptions, onClose });
      this.sockets.set(socket, client);
      accepted.once('close', () => this.sockets.delete(socket));
      // The gateway may have begun to close while the client was asked for.
      if (this.isClosing) socket.close(CLOSE.restart);
    });
  }

  /** The status of the refusal with its headers; null if the connection is accepted. */
  private findRefusal({ url = '/' }: IncomingMessage, client: string): string | null {
    if (!/^\/+(\?|$)/.test(url)) return '404 Not Found';
    const { GATEWAY_MAX_WEBSOCKETS: maxWebSockets } = this.options;
    const ofClient = [...this.sockets.values()].filter((one) => one === client).length;
    const share = this.limiter ? CLIENT_SHARE : 1;
    const isFull = this.sockets.size >= maxWebSockets || ofClient >= maxWebSockets * share;
    return isFull || this.isClosing || this.checks.isDraining ? '503 Service Unavailable\r\nRetry-After: 1' : null;
  }

  private async findLimit(client: string): Promise<string | null> {
    const allowance = await this.limiter?.consume(client, 1);
    if (allowance?.isGranted !== false) return null;
    return `429 Too Many Requests\r\nRetry-After: ${allowance.resetSeconds}`;
  }
}

function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Lets a server answer a request that offers another protocol, which it may ignore: the HTTP client of Java, for one, offers
 * HTTP/2 (`h2c`) with its calls. Before 24.9, Node gives every offer to the listener of upgrades, so the request is read again without it.
 */
function answerWithoutUpgrade(server: Server, request: IncomingMessage, stream: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i].toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', stream);
}
