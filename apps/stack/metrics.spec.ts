import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDefinedMetrics, findMetricNames } from '@fresnel/testing/generic';

const ROOT = join(__dirname, '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'metrics.md'), 'utf8');

describe('docs/metrics.md', () => {
  const metrics = findDefinedMetrics(ROOT);

  it('lists every metric with its type, labels and help', () => {
    const rows = PAGE.split('\n').filter((line) => line.startsWith('| `fresnel_'));
    const expected = metrics.map(({ name, type, labels, help }) => {
      return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;
    });
    expect(rows.map((row) => row.replace(/ {2,}/g, ' ')).sort()).toEqual(
      expected.map((row) => row.replace(/ {2,}/g, ' ')).sort(),
    );
  });

  it('misses no definition', () => {
    expect(findMetricNames(ROOT)).toEqual(metrics.map(({ name }) => name).sort());
  });
});

describe('the names of metrics', () => {
  it.each(findDefinedMetrics(ROOT).map(({ name, type }) => [name, type]))(
    '%s, a %s, has the right suffix',
    (name, type) => {
      if (type === 'counter') expect(name).toMatch(/_total$/);
      else expect(name).not.toMatch(/_(total|count|sum|bucket)$/);
      if (type === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
      expect(name).not.toMatch(/_(ms|millis|milliseconds|minutes|kb|mb)(_|$)/);
    },
  );
});
