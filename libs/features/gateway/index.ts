export { GATEWAY_DEFAULTS, type GatewayOptions, type RateLimit } from './gateway.options';
export { GatewayModule, type GatewayParts } from './gateway.module';
export { configureHttp } from './http/configure-http';
export { createHttpAdapter } from './http/create-http-adapter';
export { type RunningGateway, startGateway } from './start-gateway';
