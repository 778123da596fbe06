/** Injection token of the log. */
export const GATEWAY_LOGGER = Symbol('GatewayLogger');
