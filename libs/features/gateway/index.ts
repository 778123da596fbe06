export {
  GATEWAY_CONFIG,
  toGatewayOptions,
  toNodeOptions,
  toNodeSocketsOptions,
  toRateLimit,
  webSocketPortOf,
} from './gateway.config';
export { GATEWAY_DEFAULTS, type GatewayOptions } from './gateway.options';
export { type ListenPorts, listenPortsOf } from './listen-ports';
export { parseForwardedMethods } from './methods/forwarded-methods';
export { parseTrustedProxies, type TrustedProxies } from './limits/trusted-proxies';
