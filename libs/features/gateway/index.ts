export { GATEWAY_CONFIG, toGatewayOptions, toRateLimit } from './gateway.config';
export { GATEWAY_DEFAULTS, type GatewayOptions } from './gateway.options';
export { parseTrustedProxies, type TrustedProxies } from './limits/trusted-proxies';
