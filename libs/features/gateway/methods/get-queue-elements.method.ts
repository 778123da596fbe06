import { ProverOnBranch } from './prover-on-branch';
import { type ProverCallOptions } from '@fresnel/adapters/prover-client';
import { findProofSlots, Reader } from '@fresnel/adapters/store-read';
import { CONTRACTS, type QueueElementsParams } from '@fresnel/contracts/rpc';
import { Turns } from '@fresnel/platform';
import { timeout } from '@fresnel/platform/time';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_OPTIONS, type GatewayOptions } from '../gateway.options';
import { encodeAddressQueue, encodeStateQueue } from '../present/queue-elements.presenter';
import { encodeObject } from '../responses/encode-list';
import { type JsonText } from '../responses/response-text';
import { type CallContext, type RpcMethod } from './rpc-method';

/**
 * An answer with two queues of 30,000 entries has 35 MB, for which the gateway takes 1 s of CPU and 50 MB, and the prover twice
 * as much.
 */
const MAX_CALLS_AT_ONCE = 2;

@Injectable()
export class GetQueueElementsMethod implements RpcMethod {
  readonly name = CONTRACTS.getQueueElements.name;

  private readonly turns = new Turns(MAX_CALLS_AT_ONCE);

  constructor(
    private readonly prover: ProverOnBranch,
    private readonly reader: Reader,
    @Inject(GATEWAY_OPTIONS) private readonly options: GatewayOptions,
  ) {}

  async call(params: unknown, context?: CallContext): Promise<JsonText> {
    const parsed = CONTRACTS.getQueueElements.parseParams(params);
    // After this time the caller has been answered with an error.
    const signal = timeout(this.options.GATEWAY_REQUEST_TIMEOUT_MS);
    return this.turns.run(() => this.answer(parsed, { ...context, signal }), signal);
  }

  private async answer(
    { tree, ...requested }: QueueElementsParams,
    options: ProverCallOptions & CallContext,
  ): Promise<JsonText> {
    const queues = {
      outputs: requested.outputQueue,
      inputs: requested.inputQueue,
      addresses: requested.addressQueue,
    };
    const slots = await findProofSlots(this.reader);
    const elements = await this.prover.findQueueElements(tree, queues, slots, options);
    const { outputs, inputs, addresses } = elements;
    options.onWork?.({ rows: outputs.length + inputs.length + addresses.length });
    const isRequested = { outputs: queues.outputs !== null, inputs: queues.inputs !== null };
    return encodeObject({
      context: `{"slot":${elements.slot}}`,
      stateQueue: await encodeStateQueue(elements, isRequested),
      addressQueue: queues.addresses && (await encodeAddressQueue(elements)),
    });
  }
}
