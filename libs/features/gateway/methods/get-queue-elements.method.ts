import { PROVER_CLIENT, type ProverClient } from '@fresnel/adapters/prover-client';
import { findProofSlots, Reader } from '@fresnel/adapters/store-read';
import { getQueueElements } from '@fresnel/contracts/rpc';
import { Inject, Injectable } from '@nestjs/common';
import { addressQueueText, objectText, stateQueueText } from '../present/queue-elements.presenter';
import { type RpcMethod } from './rpc-method';

@Injectable()
export class GetQueueElementsMethod implements RpcMethod {
  readonly name = getQueueElements.name;

  constructor(
    @Inject(PROVER_CLIENT) private readonly prover: ProverClient,
    private readonly reader: Reader,
  ) {}

  async call(params: unknown): Promise<string> {
    const { tree, ...requested } = getQueueElements.parseParams(params);
    const queues = {
      outputs: requested.outputQueue,
      inputs: requested.inputQueue,
      addresses: requested.addressQueue,
    };
    const { indexedSlot, minSlot } = await findProofSlots(this.reader);
    const elements = await this.prover.findQueueElements(tree, queues, minSlot);
    // A tree that is behind the indexed slot has not changed since.
    const slot = Math.max(elements.slot, indexedSlot);
    return objectText({
      context: `{"slot":${slot}}`,
      stateQueue: await stateQueueText(elements, { outputs: queues.outputs !== null, inputs: queues.inputs !== null }),
      addressQueue: queues.addresses && (await addressQueueText(elements)),
    });
  }
}
