import { messageOf } from '@fresnel/domain/primitives';
import { type Logger, registerSecret } from '@fresnel/platform';
import WebSocket from 'ws';
import { NodeUnavailableError } from './node-rpc';

export interface NodeSocketsOptions {
  /** WebSocket endpoints of one chain, at least one. */
  urls: readonly string[];
  /** Time limit of the handshake with each endpoint. */
  timeoutMs: number;
  /** Maximum size of a message of the node. */
  maxMessageBytes: number;
}

/** Opens WebSockets to a Solana node, for subscriptions of clients. */
export class NodeSockets {
  constructor(
    private readonly options: NodeSocketsOptions,
    private readonly logger: Logger,
  ) {
    for (const url of options.urls) registerSecret(url);
  }

  /** Opens a connection to the first endpoint that accepts one. @throws NodeUnavailableError */
  async open(): Promise<WebSocket> {
    for (const url of this.options.urls) {
      try {
        return await this.openAt(url);
      } catch (error) {
        this.logger.warn({ error }, 'a WebSocket of the Solana node cannot be opened');
      }
    }
    throw new NodeUnavailableError('no WebSocket of the Solana node can be opened');
  }

  private openAt(url: string): Promise<WebSocket> {
    const { timeoutMs, maxMessageBytes } = this.options;
    const limits = { handshakeTimeout: timeoutMs, maxPayload: maxMessageBytes, perMessageDeflate: false };
    const socket = new WebSocket(url, limits);
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        resolve(socket);
      });
      // An error closes the socket, and whoever uses it listens for that.
      socket.on('error', (error) => {
        reject(new NodeUnavailableError(messageOf(error), { cause: error }));
      });
    });
  }
}

/** Where a node takes subscriptions if nobody says it: at the same URL, but at the next port if it names one. */
export function socketUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return url.href;
}
