import { integer, required } from '@fresnel/platform';
import { compareSettings, describeSettings } from './settings';

const released = { gateway: { GATEWAY_PORT: '8784', DATABASE_URL: 'none, must be set' } };

/** The breaches if the gateway has these settings. */
const breaches = (gateway: Record<string, string>) =>
  compareSettings(released, { gateway }).map(({ of, problem }) => `${of}: ${problem}`);

describe('the rule for settings', () => {
  it('describes the defaults of each process', () => {
    const PORT = integer(0, 65_535)({ desc: 'A port', default: 8_784 });
    const described = describeSettings({
      gateway: { PORT, COUNT: required(integer(1, 9)({ desc: 'A number', default: undefined })) },
    });
    expect(described).toEqual({ gateway: { PORT: '8784', COUNT: 'none, must be set' } });
  });

  it('permits new settings with a default', () => {
    expect(breaches({ ...released.gateway, GATEWAY_NEW: 'none' })).toEqual([]);
  });

  it('refuses that one is removed or renamed', () => {
    expect(breaches({ GATEWAY_HTTP_PORT: '8784', DATABASE_URL: 'none, must be set' })).toEqual([
      'setting GATEWAY_PORT: is gone from gateway',
    ]);
  });

  it('refuses that a process loses all of its settings', () => {
    expect(compareSettings(released, {})).toHaveLength(2);
  });

  it('refuses another default', () => {
    expect(breaches({ ...released.gateway, GATEWAY_PORT: '8080' })).toEqual([
      'default of GATEWAY_PORT: was "8784" in gateway and is "8080"',
    ]);
  });

  it('refuses a new one that has to be set', () => {
    expect(breaches({ ...released.gateway, GATEWAY_NEW: 'none, must be set' })).toEqual([
      'setting GATEWAY_NEW: is new in gateway, and has no default',
    ]);
  });
});
