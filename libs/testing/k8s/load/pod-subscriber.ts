import { type LocalDeployment } from '../local-deployment';
import { bundle } from './bundle';
import { type SubscriberOptions } from './load-line';
import { type LineOf } from './pod-load';
import { TestPod } from './test-pod';

const GATEWAY = 'http://gateway:8784';

/** What a subscriber has received. */
export interface ReceivedCopy {
  /** All up to this slot was received. */
  slot: number;
  /** Signatures by slot and index, in order. */
  transactions: [string, string][];
  rollbacks: number;
}

/** A pod that keeps a copy of everything, with the client, at the Service of the gateway. */
export class PodSubscriber {
  private constructor(private readonly pod: TestPod) {}

  /** @param name of the pod @param firstSlot from which on it subscribes */
  static async start(deployment: LocalDeployment, name: string, firstSlot: number): Promise<PodSubscriber> {
    const options: SubscriberOptions = { url: GATEWAY, from: { slot: firstSlot } };
    const files = { 'client.js': bundle('subscriber-client'), 'options.json': JSON.stringify(options) };
    const args = ['/files/client.js', '/files/options.json'];
    return new PodSubscriber(await TestPod.start(deployment, name, { args, files }));
  }

  /** Applies all messages so far, as the documentation of the client says. @throws if a transaction came twice */
  async readCopy(): Promise<ReceivedCopy> {
    const lines = (await this.pod.readLines()) as LineOf<'message'>[];
    const transactions = new Map<string, { slot: number; signature: string }>();
    let slot = -1;
    for (const line of lines) {
      if (line.type === 'slot') slot = line.slot;
      else if (line.type === 'rollback') {
        for (const [key, held] of transactions) if (held.slot > line.slot) transactions.delete(key);
        slot = Math.min(slot, line.slot);
      } else {
        const key = `${line.slot}/${line.index}`;
        if (line.type === 'transaction' && transactions.has(key)) throw new Error(`${key} came twice`);
        transactions.set(key, line);
      }
    }
    const inOrder = [...transactions].sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }));
    return {
      slot,
      transactions: inOrder.map(([key, { signature }]) => [key, signature]),
      rollbacks: lines.filter(({ type }) => type === 'rollback').length,
    };
  }

  /** Deletes the pod. */
  stop(): Promise<void> {
    return this.pod.stop();
  }
}
