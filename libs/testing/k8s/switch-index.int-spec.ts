import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './manifests';

const SCRIPT = join(ROOT, 'k8s', 'switch-index.sh');
/** A cluster of two gateways in each namespace. An index ends at its file `end-NAMESPACE` when its ingest has a slot to pause at. */
const KUBECTL = `#!/bin/sh
cd "$CLUSTER"
echo "$*" | head -n 1 >> calls
case "$*" in
  *' get pods '*) printf 'pod/a\\npod/b\\n' ;;
  *' exec '*) cat "slot-$2" ;;
  *' INGEST_PAUSE_SLOT='*) cp "end-$2" "slot-$2" ;;
  *' rollout status '*--timeout*) exit "$ROLLOUT" ;;
esac
`;

describe('the script that switches gateways', () => {
  let cluster: string;
  beforeEach(() => {
    cluster = mkdtempSync(join(tmpdir(), 'fresnel-switch-'));
    writeFileSync(join(cluster, 'kubectl'), KUBECTL);
    chmodSync(join(cluster, 'kubectl'), 0o755);
  });
  afterEach(() => {
    rmSync(cluster, { recursive: true });
  });

  /** @param ends where the old index and the new one end, if they pause at 1150 */
  function run(ends: [number, number], { rollout = 0 } = {}) {
    for (const [at, namespace] of ['old', 'new'].entries()) {
      writeFileSync(join(cluster, `slot-${namespace}`), '1000\n');
      writeFileSync(join(cluster, `end-${namespace}`), `${ends[at]}\n`);
    }
    const env = { PATH: `${cluster}:${process.env.PATH}`, CLUSTER: cluster, TIMEOUT_S: '1', ROLLOUT: String(rollout) };
    const { status } = spawnSync(SCRIPT, ['overlay', 'old', 'old', 'new'], { env, encoding: 'utf8' });
    const calls = readFileSync(join(cluster, 'calls'), 'utf8').trim().split('\n');
    return { status, changes: calls.filter((call) => !/ (get pods|exec) /.test(call)) };
  }
  const pausing = ['old', 'new'].map((name) => `-n ${name} set env deployment/ingest INGEST_PAUSE_SLOT=1150`);
  const going = ['old', 'new'].map((name) => `-n ${name} set env deployment/ingest INGEST_PAUSE_SLOT-`);
  const applying = [
    'apply -k overlay -l app.kubernetes.io/component!=ingest',
    '-n old rollout status deployment/gateway --timeout=1s',
  ];

  it('has both indexes pause, until the old gateways are gone', () => {
    const gone = '-n old wait --for=delete pod/a pod/b --timeout=1s';
    expect(run([1151, 1151])).toEqual({ status: 0, changes: [...pausing, ...applying, gone, ...going] });
  });

  it.each([
    ['the new index does not reach the slot', [1151, 1149]],
    ['the old index does not reach the slot', [1149, 1151]],
    ['an index was ahead, so that they end at different blocks', [1151, 1152]],
  ] satisfies [string, [number, number]][])('switches nothing, and lets both go on, if %s', (_, ends) => {
    expect(run(ends)).toEqual({ status: 1, changes: [...pausing, ...going] });
  });

  it('starts the old gateways again before the indexes go on, if the new ones are not ready', () => {
    const undoing = ['-n old rollout undo deployment/gateway', '-n old rollout status deployment/gateway'];
    expect(run([1150, 1150], { rollout: 1 })).toEqual({
      status: 1,
      changes: [...pausing, ...applying, ...undoing, ...going],
    });
  });

  it('changes nothing if a gateway does not answer', () => {
    writeFileSync(join(cluster, 'kubectl'), KUBECTL.replace('cat "slot-$2"', 'exit 1'));
    expect(run([1151, 1151])).toEqual({ status: 1, changes: [] });
  });
});
