import { listReleases } from './released-files';
import { findBreaches } from './find-breaches';
import { SURFACES } from './surfaces';

it('a release is frozen', () => {
  expect(listReleases()).not.toEqual([]);
});

describe.each(listReleases())('the promises of release %s', (release) => {
  it.each(Object.entries(SURFACES))('in %s are kept', (file, surface) => {
    expect(findBreaches(release, file, surface)).toBe('');
  });
});
