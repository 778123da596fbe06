export { GATEWAY_CONFIG, toGatewayOptions, toNodeOptions, toRateLimit } from './gateway.config';
export { GATEWAY_DEFAULTS, type GatewayOptions } from './gateway.options';
export { parseForwardedMethods } from './methods/forwarded-methods';
export { parseTrustedProxies, type TrustedProxies } from './limits/trusted-proxies';
