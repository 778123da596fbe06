export { freezeIndexes } from './freeze-indexes';
export { listReleases, RELEASES } from './released-files';
export { MANIFESTS, SURFACES } from './surfaces';
