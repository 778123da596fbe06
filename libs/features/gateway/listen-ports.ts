import { ConfigError, findFreePortPair } from '@fresnel/platform';
import { type GatewayConfig } from './gateway.config';

const LAST_PORT = 65_535;

type PortConfig = Pick<GatewayConfig, 'GATEWAY_PORT' | 'GATEWAY_WS_PORT' | 'UPSTREAM_RPC_PASSTHROUGH'>;

/** Where a gateway listens. */
export interface ListenPorts {
  /** 0 for any free port. */
  port: number;
  /** Null: no port for WebSockets only. */
  webSocketPort: number | null;
}

/**
 * The ports of the settings. Finds a free pair of ports if any port will do and WebSockets are taken at the next one.
 *
 * @throws ConfigError if there is no next one
 */
export async function listenPortsOf(config: PortConfig): Promise<ListenPorts> {
  const { GATEWAY_PORT: port, GATEWAY_WS_PORT: webSocketPort, UPSTREAM_RPC_PASSTHROUGH: forwarded } = config;
  if (forwarded === undefined || webSocketPort === 0) return { port, webSocketPort: null };
  if (webSocketPort !== undefined) return { port, webSocketPort };
  if (port === LAST_PORT) throw new ConfigError('GATEWAY_WS_PORT must be set: GATEWAY_PORT is the last port');
  const first = port === 0 ? await findFreePortPair() : port;
  return { port: first, webSocketPort: first + 1 };
}
