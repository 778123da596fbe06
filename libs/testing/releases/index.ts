export { listReleases, RELEASES } from './released-files';
export { MANIFESTS, SURFACES } from './surfaces';
