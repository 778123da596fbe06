import { compareNames } from './kept-names';

const released = { alert: ['FresnelIndexLagging', 'FresnelDown'], dashboard: ['fresnel-overview'] };

describe('the rule for names', () => {
  it('permits new ones', () => {
    expect(compareNames(released, { ...released, dashboard: ['fresnel-new', 'fresnel-overview'] })).toEqual([]);
  });

  it('refuses that one is removed or renamed', () => {
    expect(compareNames(released, { alert: ['FresnelDown', 'FresnelLagging'], dashboard: [] })).toEqual([
      { of: 'alert FresnelIndexLagging', problem: 'is gone' },
      { of: 'dashboard fresnel-overview', problem: 'is gone' },
    ]);
  });
});
