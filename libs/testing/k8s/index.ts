export { type HostRelay, startHostRelay } from './host-relay';
export { type ForwardedPort } from './kubectl';
export { type DeploymentOptions, LocalDeployment } from './local-deployment';
