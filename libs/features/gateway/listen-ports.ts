import { findFreePortPair } from '@fresnel/platform';
import { type GatewayOptions } from './gateway.options';

/** Where a gateway listens. */
export interface ListenPorts {
  /** 0 for any free port. */
  port: number;
  /** Null: no port for WebSockets only. */
  webSocketPort: number | null;
}

/** Finds a free pair of ports if any port will do and WebSockets are taken at the next one. */
export async function listenPortsOf({
  port,
  webSocketPort,
}: Pick<GatewayOptions, 'port' | 'webSocketPort'>): Promise<ListenPorts> {
  if (webSocketPort !== 'next') return { port, webSocketPort };
  const first = port === 0 ? await findFreePortPair() : port;
  return { port: first, webSocketPort: first + 1 };
}
