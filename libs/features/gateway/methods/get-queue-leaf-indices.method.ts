import { type InputElement, QueueStartPassedError, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { findProofSlots, type ProofSlots, Reader } from '@fresnel/adapters/store-read';
import { CONTRACTS, type QueueLeavesParams } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import { compileSerializer } from '../responses/compile-serializer';
import { ProverOnBranch } from './prover-on-branch';
import { type CallContext, type RpcMethod } from './rpc-method';

@Injectable()
export class GetQueueLeafIndicesMethod implements RpcMethod {
  readonly name = CONTRACTS.getQueueLeafIndices.name;
  private readonly toJson = compileSerializer(CONTRACTS.getQueueLeafIndices.result);

  constructor(
    private readonly prover: ProverOnBranch,
    private readonly reader: Reader,
  ) {}

  async call(params: unknown, context?: CallContext): Promise<string> {
    const parsed = CONTRACTS.getQueueLeafIndices.parseParams(params);
    const slots = await findProofSlots(this.reader);
    const { slot, inputs } = await this.findInputs(parsed, slots, context);
    context?.onWork?.({ rows: inputs.length });
    const value = inputs.map(({ accountHash, queueIndex, leafIndex }) => ({
      hash: toBase58(accountHash),
      queueIndex,
      leafIndex,
    }));
    return this.toJson({ context: { slot }, value });
  }

  private async findInputs(
    { tree, limit, startIndex }: QueueLeavesParams,
    slots: ProofSlots,
    context?: CallContext,
  ): Promise<{ slot: number; inputs: InputElement[] }> {
    const findFrom = (start: bigint | null) => {
      // Batches of one: the entries are not cut to whole batches.
      const inputQueue = { limit, startIndex: start, zkpBatchSize: 1 };
      const queues = { outputs: null, inputs: inputQueue, addresses: null };
      return this.prover.findQueueElements(tree, queues, slots, context);
    };
    try {
      return await findFrom(startIndex);
    } catch (error) {
      if (error instanceof UnknownTreeError) return { slot: slots.indexedSlot, inputs: [] };
      if (!(error instanceof QueueStartPassedError)) throw error;
      return findFrom(null);
    }
  }
}
