import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { eventually, Opened } from '@fresnel/testing/generic';
import { ProofHistory } from '@fresnel/testing/ledger';
import { LiveLedger, readingCalls } from '@fresnel/testing/stack';
import { type HostRelay, startHostRelay } from './host-relay';
import { PodLoad } from './load';
import { type DeploymentOptions, LocalDeployment } from './local-deployment';

const HISTORY = 100;
/** More than any suite reveals. */
const SLOTS = 20_000;
/** Number of pods of services whose number a test does not change. */
const PODS = 2;

/** A request for proofs of new addresses. */
export const PROOF_CALL = { method: 'getMultipleNewAddressProofsV2', params: new ProofHistory().questions };

/** What differs between tests. */
type LiveOptions = Partial<Omit<DeploymentOptions, 'namespace'>>;

/** The local overlay, indexing a generated ledger that grows like a chain. */
export class LiveDeployment {
  private constructor(
    readonly ledger: LiveLedger,
    readonly deployment: LocalDeployment,
    private readonly relay: HostRelay,
    private readonly opened: Opened,
  ) {}

  /**
   * Deploys two pods of each service but ingest and prover, and waits until all of them are ready.
   *
   * @param prepare what to do with the ledger before it is indexed
   */
  static async create(
    options: LiveOptions = {},
    prepare: (ledger: LiveLedger) => void = () => undefined,
  ): Promise<LiveDeployment> {
    const opened = new Opened();
    const ledger = opened.add(await LiveLedger.open({ seed: 91, slots: SLOTS, transactionsPerSlot: 2 }, HISTORY));
    prepare(ledger);
    const relay = await startHostRelay(ledger.node.url);
    opened.add({
      close: () => {
        relay.stop();
        return Promise.resolve();
      },
    });
    try {
      const deployment = await deploy(ledger, relay, opened, options);
      return new LiveDeployment(ledger, deployment, relay, opened);
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** Deploys another index of the same ledger to a namespace of its own, and waits until all of its pods are ready. */
  deployAnother(options: LiveOptions): Promise<LocalDeployment> {
    return deploy(this.ledger, this.relay, this.opened, options);
  }

  /** Waits until a Deployment has this number of pods, and all are ready. */
  waitForPods(component: string, count: number, timeoutMs?: number): Promise<void> {
    return waitForPods(this.deployment, component, count, timeoutMs);
  }

  /**
   * Starts a pod that calls all methods that read the tables, and requests proofs as often as all of them together.
   *
   * @param name of the pod
   * @param pauseMs of each of four workers, after each call
   */
  startMixedLoad(name: string, pauseMs = 150): Promise<PodLoad> {
    const calls = readingCalls(this.ledger.oracle).flatMap((call) => [call, PROOF_CALL]);
    return PodLoad.start(this.deployment, name, { calls, workers: 4, pauseMs });
  }

  /** Adds blocks to the chain while something happens. */
  async growWhile(happening: Promise<unknown>): Promise<void> {
    await this.ledger.revealWhile(happening);
  }

  /** Deletes everything. */
  async close(): Promise<void> {
    await this.opened.close();
  }
}

async function deploy(
  ledger: LiveLedger,
  relay: HostRelay,
  opened: Opened,
  { settings, patches = [], ...options }: LiveOptions,
): Promise<LocalDeployment> {
  const { INGEST_START_SLOT } = ledger.env;
  const deployment = await LocalDeployment.create({
    namespace: `fresnel-live-${randomBytes(4).toString('hex')}`,
    settings: {
      INGEST_DEMO: 'false',
      INGEST_START_SLOT,
      SOLANA_RPC_URL: relay.url,
      RATE_LIMIT_ENABLED: 'false',
      ...settings,
    },
    treesFile: join(ledger.folder, 'trees.json'),
    patches: [fixedScale('gateway'), fixedScale('projector'), FAST_SCALE_DOWN, SHARED_PROCESSES, ...patches],
    ...options,
  });
  opened.add({ close: () => deployment.delete() });
  await deployment.waitUntilReady();
  for (const name of ['gateway', 'projector']) await waitForPods(deployment, name, PODS);
  return deployment;
}

async function waitForPods(
  deployment: LocalDeployment,
  component: string,
  count: number,
  timeoutMs?: number,
): Promise<void> {
  const condition = async () => {
    const pods = await deployment.listPods(component);
    return pods.length === count && pods.every(({ isReady }) => isReady);
  };
  await eventually(`${count} pods of ${component} are ready`, condition, timeoutMs);
}

/** An autoscaler that changes nothing. */
function fixedScale(name: string): object {
  return { ...autoscaler(name), spec: { minReplicas: PODS, maxReplicas: PODS } };
}

/** Removes provers soon after the load has ended. */
const FAST_SCALE_DOWN = {
  ...autoscaler('prover'),
  spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 15 } } },
};

function autoscaler(name: string): object {
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name } };
}

/** Lets a test kill the process of a writer: a process cannot kill the first process of its own namespace. */
const SHARED_PROCESSES = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'prover-writer' },
  spec: { template: { spec: { shareProcessNamespace: true } } },
};
