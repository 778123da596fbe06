import { listReleases } from './released-files';
import { findBreaches } from './find-breaches';
import { MANIFESTS } from './surfaces';

describe.each(listReleases())('the promises of release %s', (release) => {
  it.each(Object.entries(MANIFESTS))('in %s are kept', (file, surface) => {
    expect(findBreaches(release, file, surface)).toBe('');
  });
});
