import { setTimeout as sleep } from 'node:timers/promises';
import { sendHttp } from '@fresnel/testing/generic';
import { COSTLY_CALLS, type CostlyCall } from './costly-calls';
import { type TestGateway } from './test-gateway';

/** Latencies of one client's requests, in milliseconds. */
export interface Latencies {
  /** While no other client sends requests. */
  alone: number[];
  /** While another client uses all points of its windows for the costliest calls. */
  attacked: number[];
  /** Calls of the other client that were answered, and requests that were rejected. */
  granted: number;
  rejected: number;
}

export interface FairnessOptions {
  /** Length of a rate limit window. The gateway must trust one proxy. */
  windowSeconds: number;
  /** Each has a window without and one with the other client. */
  rounds: number;
}

const READ_INTERVAL_MS = 5;
const READER = '203.0.113.1';
const ATTACKER = '203.0.113.2';

/** Measures one client that reads accounts at a steady pace, in turns with and without an attack of another client. */
export async function measureFairness(
  gateway: TestGateway,
  { windowSeconds, rounds }: FairnessOptions,
): Promise<Latencies> {
  const result: Latencies = { alone: [], attacked: [], granted: 0, rejected: 0 };
  const readForWindow = async (latencies: number[]) => {
    const endsAt = performance.now() + windowSeconds * 1000;
    const reads: Promise<void>[] = [];
    while (performance.now() < endsAt) {
      reads.push(readOnce(gateway, latencies));
      await sleep(READ_INTERVAL_MS);
    }
    await Promise.all(reads);
  };
  await readForWindow([]);
  for (let round = 0; round < rounds; round++) {
    await readForWindow(result.alone);
    await Promise.all([readForWindow(result.attacked), attack(gateway, result)]);
  }
  return result;
}

/** The latency that a share of the requests, such as 0.99, did not exceed. */
export function percentile(latencies: readonly number[], share: number): number {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)];
}

async function readOnce(gateway: TestGateway, latencies: number[]): Promise<void> {
  const startedAt = performance.now();
  await send(gateway, READER, COSTLY_CALLS['an account']);
  latencies.push(performance.now() - startedAt);
}

/** Sends each of the costliest calls again and again, all kinds at once, until the points of the window are used up. */
async function attack(gateway: TestGateway, result: Latencies): Promise<void> {
  await Promise.all(
    Object.values(COSTLY_CALLS).map(async (call) => {
      while ((await send(gateway, ATTACKER, call)) === 200) result.granted++;
      result.rejected++;
    }),
  );
}

async function send({ url }: TestGateway, client: string, call: CostlyCall): Promise<number> {
  const { status } = await sendHttp(url, {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
    reusesConnection: true,
  });
  return status;
}
