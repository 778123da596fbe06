export { GatewayModule } from './gateway.module';
export { startGateway } from './start-gateway';
