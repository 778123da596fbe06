import { reportBreaches } from './breach';

const BREACHES = [
  { of: 'setting A', problem: 'is gone' },
  { of: 'setting B', problem: 'is gone' },
];

describe('the report of breaches', () => {
  it('names the file, each breach and what to do', () => {
    const report = reportBreaches('releases/1.0/settings.json', BREACHES, {}, ['1.0']);
    expect(report).toContain('releases/1.0/settings.json promises');
    expect(report).toContain('  setting A is gone\n  setting B is gone\n');
    expect(report).toContain('npm run release:freeze');
  });

  it('is empty without breaches', () => {
    expect(reportBreaches('releases/1.0/settings.json', [], {}, ['1.0'])).toBe('');
  });

  it('omits what a frozen minor has warned of, and nothing that only a later one will', () => {
    const retired = { 'setting A': '1.1', 'setting B': '1.2' };
    const report = reportBreaches('releases/1.0/settings.json', BREACHES, retired, ['1.0', '1.1']);
    expect(report).not.toContain('setting A is gone');
    expect(report).toContain('setting B is gone');
  });
});
