export { GATEWAY_DEFAULTS, type GatewayOptions } from './gateway.options';
export { GATEWAY_CONFIG, toGatewayOptions } from './gateway.config';
export { GatewayModule, type GatewayParts } from './gateway.module';
export { configureHttp } from './http/configure-http';
export { createHttpAdapter } from './http/create-http-adapter';
export { type RunningGateway, startGateway } from './start-gateway';
export { parseTrustedProxies, type TrustedProxies } from './limits/trusted-proxies';
