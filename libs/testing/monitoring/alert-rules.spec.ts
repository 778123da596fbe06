import { compressRules, readAlertRules } from './alert-rules';

const rules = (expr: string) => ({
  groups: [{ name: 'group', rules: [{ alert: 'Some', expr, for: '10m', annotations: { runbook: 'page' } }] }],
});

describe('compressed rules', () => {
  it('have shorter durations, and are else the same', () => {
    const [{ rules: compressed }] = compressRules(rules('rate(a[5m]) > max(b offset 15m) + 3')).groups;
    expect(compressed).toEqual([
      { ...rules('').groups[0].rules[0], expr: 'rate(a[5000ms]) > max(b offset 15000ms) + 3', for: '10000ms' },
    ]);
  });

  it('can have other thresholds', () => {
    const [{ rules: compressed }] = compressRules(rules('max(a) > 150'), { Some: 3 }).groups;
    expect(compressed[0].expr).toBe('max(a) > 3');
    expect(() => compressRules(rules('max(a) == 1'), { Some: 3 })).toThrow('Some has no threshold');
    expect(() => compressRules(rules('max(a) > 1'), { Other: 3 })).toThrow('there is no alert Other');
  });

  it('are those that are deployed', () => {
    const names = readAlertRules().groups.flatMap((group) => group.rules.map(({ alert }) => alert));
    expect(names.length).toBeGreaterThan(10);
    expect(compressRules(readAlertRules()).groups.flatMap((group) => group.rules.map(({ alert }) => alert))).toEqual(
      names,
    );
  });
});
