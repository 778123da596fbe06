import { MAX_ANCESTORS, type NearestTime, nearestTime } from './nearest-time';

/** The times of a reader that reads some blocks one after the other. @param known the time of the block before them */
function timesOf(own: readonly (number | null)[], known: NearestTime | null = null): (NearestTime | null)[] {
  let last = known;
  return own.map((time) => (last = nearestTime(time, last)));
}

describe('nearestTime', () => {
  const OWN = [50, null, null, 60, null];

  it('is the time of the nearest ancestor that has one', () => {
    expect(timesOf(OWN).map((time) => time?.time)).toEqual([50, 50, 50, 60, 60]);
  });

  it('is the same for readers that start at any block, if they know the block before', () => {
    const times = timesOf(OWN);
    for (let start = 1; start < OWN.length; start++) {
      expect(timesOf(OWN.slice(start), times[start - 1])).toEqual(times.slice(start));
    }
  });

  it('is not known if too many blocks have none: a reader that starts after the ancestor does not find it', () => {
    const times = timesOf([50, ...Array<null>(MAX_ANCESTORS + 1).fill(null)]);
    expect(times.at(-2)).toEqual({ time: 50, back: MAX_ANCESTORS });
    expect(times.at(-1)).toBeNull();
  });
});
