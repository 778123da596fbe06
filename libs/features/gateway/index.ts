export { GATEWAY_CONFIG, toNodeOptions, toNodeSocketsOptions, toRateLimit } from './gateway.config';
export { type GatewayOptions, toGatewayOptions } from './gateway.options';
export { type ListenPorts, listenPortsOf } from './listen-ports';
export { parseForwardedMethods } from './methods/forwarded-methods';
export { type TrustedProxies } from './limits/trusted-proxies';
