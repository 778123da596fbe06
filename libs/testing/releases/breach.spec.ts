import { omitRetired, reportBreaches } from './breach';

const BREACHES = [
  { of: 'setting A', problem: 'is gone from gateway' },
  { of: 'setting B', problem: 'is gone from gateway' },
];

describe('the report of breaches', () => {
  it('names the file, each breach and what to do', () => {
    const report = reportBreaches('releases/1.0/settings.json', BREACHES, true);
    expect(report).toContain('releases/1.0/settings.json promises');
    expect(report).toContain('  setting A: is gone from gateway\n  setting B: is gone from gateway\n');
    expect(report).toContain('releases/retired.json');
    expect(report).toContain('npm run release:freeze');
  });

  it('offers no way to retire what only another major version may change', () => {
    expect(reportBreaches('releases/1.0/openapi.json', BREACHES, false)).not.toContain('retired.json');
  });

  it('is short, whatever one cause breaks', () => {
    const many = Array.from({ length: 25 }, (_, at) => ({ of: `answer ${at}`, problem: 'x'.repeat(10_000) }));
    const report = reportBreaches('releases/1.0/index/demo.answers.json.gz', [...many, ...many], false);
    expect(report).toContain('\n  and 5 more\n');
    expect(report.length).toBeLessThan(10_000);
  });

  it('is empty without breaches', () => {
    expect(reportBreaches('releases/1.0/settings.json', [], true)).toBe('');
  });
});

describe('breaches of what is retired', () => {
  it('are omitted once a minor that warns is frozen', () => {
    const retired = { 'setting A': '1.1', 'setting B': '1.2' };
    expect(omitRetired(BREACHES, retired, ['1.0', '1.1'])).toEqual([BREACHES[1]]);
    expect(omitRetired(BREACHES, retired, ['1.0'])).toEqual(BREACHES);
  });
});
