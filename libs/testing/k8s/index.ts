export { readAppConfig } from './app-environment';
export { type HostRelay, startHostRelay } from './host-relay';
export { type ForwardedPort } from './kubectl';
export { KUSTOMIZATIONS, listContainers, listWorkloads, type Manifest, renderManifests } from './manifests';
export { type DeploymentOptions, LocalDeployment } from './local-deployment';
