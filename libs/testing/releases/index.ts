export { freezeIndexes } from './freeze-indexes';
export { findLastRelease, listReleases, readReleased, RELEASES } from './released-files';
export { MANIFESTS, SURFACES } from './surfaces';
