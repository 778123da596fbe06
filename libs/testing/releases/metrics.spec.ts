import { compareMetrics, type Metrics } from './metrics';

const released: Metrics = {
  fresnel_calls_total: { type: 'counter', labels: ['method', 'outcome'] },
  fresnel_slot: { type: 'gauge', labels: [] },
};

const breaches = (now: Metrics) => compareMetrics(released, now).map(({ of, problem }) => `${of}: ${problem}`);

describe('the rule for metrics', () => {
  it('permits new metrics and labels', () => {
    expect(
      breaches({
        fresnel_calls_total: { type: 'counter', labels: ['outcome', 'method', 'client'] },
        fresnel_slot: { type: 'gauge', labels: [] },
        fresnel_new: { type: 'gauge', labels: [] },
      }),
    ).toEqual([]);
  });

  it('refuses that one is removed or renamed', () => {
    const { fresnel_slot: slot, ...others } = released;
    expect(breaches({ ...others, fresnel_newest_slot: slot })).toEqual(['metric fresnel_slot: is gone']);
  });

  it('refuses that a label is removed', () => {
    expect(breaches({ ...released, fresnel_calls_total: { type: 'counter', labels: ['method'] } })).toEqual([
      'label outcome of fresnel_calls_total: is gone',
    ]);
  });

  it('refuses another type', () => {
    expect(breaches({ ...released, fresnel_slot: { type: 'counter', labels: [] } })).toEqual([
      'type of fresnel_slot: was gauge and is counter',
    ]);
  });
});
