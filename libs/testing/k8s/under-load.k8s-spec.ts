import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@fresnel/testing/generic';
import { LiveDeployment, PROOF_CALL } from './live-deployment';
import { type LoadLine, longestGap, PodLoad } from './load';
import { type DeployedPod } from './local-deployment';

jest.setTimeout(1_200_000);

const MOST_PROVERS = 6;
/** Metrics arrive every 10 to 60 s, and the autoscaler adds pods in steps. */
const SCALE_TIMEOUT_MS = 480_000;
/** One prover is enough for this load. */
const LOW_LOAD_PAUSE_MS = 800;
const KILLS = 5;
/** Before a kill, everything has run for this long without a change. */
const QUIET_MS = 10_000;
const SERVICES = ['ingest', 'projector', 'prover-writer', 'prover', 'gateway'];
const KILL = `
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid))
    if (fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1').includes('dist/apps/prover/main.js')) process.kill(pid, 'SIGKILL');
`;

describe('the local overlay under load', () => {
  let live: LiveDeployment;
  beforeAll(async () => {
    live = await LiveDeployment.create();
  });
  afterAll(() => live.close());

  const countAssignments = async () => {
    const counts: Record<string, number> = {};
    for (const { name, component } of await live.deployment.listPods()) {
      if (component !== 'prover-writer' && component !== 'projector') continue;
      const log = await live.deployment.run(['logs', `pod/${name}`, '--container=app', '--tail=-1']);
      counts[name] = log.split('"msg":"partitions assigned"').length - 1;
    }
    return counts;
  };
  const isOther = ({ component }: DeployedPod) => component !== 'prover' && component !== 'load';
  const listOthers = async () => (await live.deployment.listPods()).filter(isOther);

  /** Waits until each prover has answered calls. @returns for each new prover, the seconds from its first check to its first call */
  async function waitForTraffic(known: readonly DeployedPod[]): Promise<number[]> {
    const since = new Map<string, number>();
    const seconds = new Map<string, number>();
    const knownNames = new Set(known.map(({ name }) => name));
    const haveAll = async () => {
      for (const { name, isReady } of await live.deployment.listPods('prover')) {
        if (!isReady || knownNames.has(name) || seconds.has(name)) continue;
        since.set(name, since.get(name) ?? Date.now());
        if ((await countProofs(name)) > 0) seconds.set(name, (Date.now() - Number(since.get(name))) / 1_000);
      }
      return seconds.size >= MOST_PROVERS - known.length;
    };
    await eventually(`all of ${MOST_PROVERS} provers serve proofs`, haveAll, SCALE_TIMEOUT_MS);
    return [...seconds.values()];
  }

  async function countProofs(pod: string): Promise<number> {
    const metrics = await live.deployment.readMetrics(pod);
    return Number(/^fresnel_prover_call_seconds_count\{outcome="answered"\} (\d+)/m.exec(metrics)?.[1] ?? 0);
  }

  it('adds provers for proofs and removes them again, and nothing else changes', async () => {
    const storm = async () => {
      await live.waitForPods('prover', 1, SCALE_TIMEOUT_MS);
      const steady = await live.startMixedLoad('steady', LOW_LOAD_PAUSE_MS);
      const before = { others: await listOthers(), assignments: await countAssignments() };
      const provers = await live.deployment.listPods('prover');
      const startedAt = Date.now();
      const proofs = await PodLoad.start(live.deployment, 'proofs', { calls: [PROOF_CALL], workers: 16, pauseMs: 40 });
      const seconds = await waitForTraffic(provers);
      const grownMs = Date.now() - startedAt;
      const [answered, failures] = [await proofs.countAnswered(), await proofs.read('failure')];
      await proofs.stop();
      await live.waitForPods('prover', 1, SCALE_TIMEOUT_MS);
      failures.push(...(await steady.read('failure')));
      const total = answered + (await steady.countAnswered());
      await steady.stop();
      console.log(
        `1 to ${MOST_PROVERS} provers in ${grownMs / 1_000} s, first calls after ${seconds.join(', ')} s, back to 1 in ` +
          `${(Date.now() - startedAt - grownMs) / 1_000} s; ${total} calls answered, ${failures.length} failed`,
      );
      expect(failures).toEqual([]);
      expect(await listOthers()).toEqual(before.others);
      expect(await countAssignments()).toEqual(before.assignments);
    };
    await live.growWhile(storm());
  });

  it('fails no request while every Deployment is restarted', async () => {
    const restarts = async () => {
      const load = await live.startMixedLoad('rollout');
      const report: string[] = [];
      for (const service of SERVICES) {
        const startedAt = Date.now();
        await live.deployment.run(['rollout', 'restart', `deployment/${service}`]);
        await live.deployment.waitForRollout(service);
        await eventually(`the old pods of ${service} are gone`, async () => {
          const names = await live.deployment.run([
            'get',
            'pods',
            '-l',
            `app.kubernetes.io/component=${service}`,
            '-o',
            'json',
          ]);
          return !names.includes('deletionTimestamp');
        });
        const failed = (await load.read('failure')).filter(({ at }) => at >= startedAt);
        report.push(`${service}: ${(Date.now() - startedAt) / 1_000} s, ${failed.length} failed`);
      }
      await sleep(QUIET_MS);
      const failures = await load.read('failure');
      console.log(`${report.join('; ')}; ${await load.countAnswered()} calls answered, ${failures.length} failed`);
      await load.stop();
      expect(failures).toEqual([]);
    };
    await live.growWhile(restarts());
  });

  it('serves new proofs again after a writer was killed, and answers from the tables meanwhile', async () => {
    const kills = async () => {
      const load = await live.startMixedLoad('kills');
      const gaps: number[] = [];
      for (let at = 0; at < KILLS; at++) {
        await sleep(QUIET_MS);
        const writers = await live.deployment.listPods('prover-writer');
        const { name, restarts } = writers[at % writers.length];
        const killedAt = Date.now();
        await live.deployment.run(['exec', name, '--container=app', '--', 'node', '--eval', KILL]);
        const hasRestarted = async () => {
          const pod = (await live.deployment.listPods('prover-writer')).find((one) => one.name === name);
          return pod?.isReady === true && pod.restarts > restarts;
        };
        await eventually(`${name} runs again`, hasRestarted, SCALE_TIMEOUT_MS);
        await eventually('proofs are new', async () => isSteady(await load.read('proof')), SCALE_TIMEOUT_MS);
        gaps.push(longestGap((await load.read('proof')).filter((line) => line.at > killedAt - QUIET_MS)));
      }
      const failures = await load.read('failure');
      console.log(
        `longest time without a new proof after each kill: ${gaps.map((gap) => gap / 1_000).join(', ')} s; ` +
          `${await load.countAnswered()} calls answered, ${failures.length} proofs refused`,
      );
      await load.stop();
      expect(failures.filter(({ method }) => method !== PROOF_CALL.method)).toEqual([]);
    };
    await live.growWhile(kills());
  });
});

type ProofLine = Extract<LoadLine, { kind: 'proof' }>;

/** Whether the newest proofs followed each other closely until now. */
function isSteady(lines: readonly ProofLine[]): boolean {
  const newest = lines.slice(-10);
  return newest.length === 10 && longestGap(newest) < QUIET_MS / 2 && Date.now() - newest[9].at < QUIET_MS;
}
