import { createLateGauge } from './metrics';
import { Registry } from 'prom-client';

describe('a late gauge', () => {
  it('is absent until it is set, and after it was removed', async () => {
    const registry = new Registry();
    const gauge = createLateGauge({ name: 'fresnel_test', help: 'A test', registers: [registry] });
    const values = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('fresnel_test'));
    expect(await values()).toEqual([]);
    gauge.set(7);
    expect(await values()).toEqual(['fresnel_test 7']);
    gauge.remove();
    expect(await values()).toEqual([]);
  });
});
