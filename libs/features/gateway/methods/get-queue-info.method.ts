import { ProverOnBranch } from './prover-on-branch';
import { type TreeQueues, UnknownTreeError } from '@fresnel/adapters/prover-client';
import {
  findProofSlots,
  findTrees,
  findV2Trees,
  type ProofSlots,
  Reader,
  type TreeRecord,
} from '@fresnel/adapters/store-read';
import { CONTRACTS } from '@fresnel/contracts/rpc';
import { type Pubkey } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import { presentQueues } from '../present/queue-info.presenter';
import { compileSerializer } from '../responses/compile-serializer';
import { type CallContext, type RpcMethod } from './rpc-method';

@Injectable()
export class GetQueueInfoMethod implements RpcMethod {
  readonly name = CONTRACTS.getQueueInfo.name;
  private readonly toJson = compileSerializer(CONTRACTS.getQueueInfo.result);

  constructor(
    private readonly prover: ProverOnBranch,
    private readonly reader: Reader,
  ) {}

  async call(params: unknown, context?: CallContext): Promise<string> {
    const { trees } = CONTRACTS.getQueueInfo.parseParams(params);
    const records = await this.findRecords(trees);
    const slots = await findProofSlots(this.reader);
    const found = await Promise.all(records.map((record) => this.findQueues(record, slots, context)));
    const known = found.filter((one) => one !== null);
    const treeSlots = known.map(({ queues }) => queues.slot);
    const queues = known.flatMap(({ record, queues }) => presentQueues(record, queues));
    return this.toJson({ queues, slot: treeSlots.length > 0 ? Math.min(...treeSlots) : slots.indexedSlot });
  }

  /** The known V2 trees, each once, by key. @param trees null: all */
  private async findRecords(trees: readonly Pubkey[] | null): Promise<TreeRecord[]> {
    const found = trees ? [...(await findTrees(this.reader, trees)).values()] : await findV2Trees(this.reader);
    return found
      .filter(({ treeType }) => treeType === 'stateV2' || treeType === 'addressV2')
      .sort((one, other) => one.tree.compare(other.tree));
  }

  /** Null if the tree was created after the indexed slot, on a branch that is orphaned now. */
  private async findQueues(
    record: TreeRecord,
    slots: ProofSlots,
    context?: CallContext,
  ): Promise<{ record: TreeRecord; queues: TreeQueues } | null> {
    try {
      return { record, queues: await this.prover.findQueues(record.tree, slots, context) };
    } catch (error) {
      if (error instanceof UnknownTreeError) return null;
      throw error;
    }
  }
}
