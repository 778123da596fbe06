import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readAlertRules } from '@fresnel/testing/monitoring';

const ROOT = join(__dirname, '../../..');
const ALERTS = join(ROOT, 'k8s/components/alerts');
const RUNBOOKS = join(ROOT, 'docs/runbooks');
const TESTS = 'prometheus-rule.test.yaml';

describe('the alerts', () => {
  const spec = readAlertRules();
  const rules = spec.groups.flatMap((group) => group.rules);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-alerts-'));
    writeFileSync(join(folder, 'rules.yaml'), JSON.stringify(spec));
    copyFileSync(join(ALERTS, TESTS), join(folder, TESTS));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('fire when they have reason to, and else do not', () => {
    expect(promtool('test', 'rules', TESTS)).toMatchObject({ status: 0 });
    const tests = readFileSync(join(ALERTS, TESTS), 'utf8');
    for (const { alert } of rules) expect(tests.split(`alertname: ${alert}`).length - 1).toBeGreaterThanOrEqual(2);
  });

  it('are tests that can fail', () => {
    const path = join(folder, 'wrong.test.yaml');
    writeFileSync(path, readFileSync(join(ALERTS, TESTS), 'utf8').replaceAll('eval_time: 6m', 'eval_time: 2m'));
    expect(promtool('test', 'rules', path)).toMatchObject({ status: 1 });
  });

  it('have a runbook each', () => {
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
    expect(rules.map(({ annotations }) => basename(annotations.runbook)).sort()).toEqual(pages.sort());
    const index = readFileSync(join(RUNBOOKS, 'README.md'), 'utf8');
    for (const { alert, annotations } of rules) {
      expect(readFileSync(join(ROOT, annotations.runbook), 'utf8')).toContain(`Alert: \`${alert}\``);
      expect(index).toContain(`[\`${alert}\`](${basename(annotations.runbook)})`);
    }
  });

  it('and the runbooks use metrics that exist', () => {
    const sources = ['libs', 'apps'].flatMap((name) =>
      readdirSync(join(ROOT, name), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.includes('spec'))
        .map((path) => readFileSync(join(ROOT, name, path), 'utf8')),
    );
    const code = sources.join('\n');
    const pages = readdirSync(RUNBOOKS).map((name) => readFileSync(join(RUNBOOKS, name), 'utf8'));
    const text = [...rules.map(({ expr }) => expr), ...pages].join('\n');
    const used = new Set(text.match(/\bfresnel_\w+/g)?.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    expect(used.size).toBeGreaterThan(10);
    expect([...used].filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });
});
