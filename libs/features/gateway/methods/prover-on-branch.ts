import {
  BranchUndecidedError,
  type NewAddressProofs,
  PROVER_CLIENT,
  type ProverCallOptions,
  type ProverClient,
  type QueueElements,
  type QueueElementsRequest,
  type StateTreeProofs,
  TreeNotServableError,
  type TreeQueues,
} from '@fresnel/adapters/prover-client';
import { findProofState, type ProofSlots, Reader } from '@fresnel/adapters/store-read';
import { FresnelError, type Hash, type Pubkey, type Slot, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { sleep } from '@fresnel/platform/time';
import { Inject, Injectable } from '@nestjs/common';
import { CLOSURES } from '../present/tree-closures';

/** The trees follow another branch than the tables. */
class TreeOffBranchError extends FresnelError {
  readonly code = 'tree-off-branch';
  readonly isRetryable = true;
}

/** Trees are reverted moments before tables. A fork that takes longer is not waited for. */
const MAX_ASKS = 10;
const PAUSE_MS = 100;

/** The block that an answer is as of. */
interface AnsweredBlock {
  slot: number;
  /** Null in history that a source has told without blocks. */
  blockhash: Hash | null;
}

/**
 * Asks the prover, and refuses answers as of a block that is not on the indexed branch: tables and trees are reverted one after
 * the other, and a store that fails over may forget a revert. It asks again for about a second.
 *
 * Each method takes the slots of the tables, and its answer has the slot at which it is true: not below the indexed slot. Each
 * throws TreeOffBranchError, TreeNotServableError for a tree of which history lacks something, and the errors of `ProverClient`.
 */
@Injectable()
export class ProverOnBranch {
  constructor(
    @Inject(PROVER_CLIENT) private readonly prover: ProverClient,
    private readonly reader: Reader,
  ) {}

  proveNewAddresses(
    tree: Pubkey,
    addresses: readonly Hash[],
    slots: ProofSlots,
    options?: ProverCallOptions,
  ): Promise<NewAddressProofs> {
    return this.ask(
      tree,
      slots,
      (minSlot) => this.prover.proveNewAddresses(tree, addresses, minSlot, options),
      options,
    );
  }

  proveLeaves(
    tree: Pubkey,
    leafIndices: readonly number[],
    slots: ProofSlots,
    options?: ProverCallOptions,
  ): Promise<StateTreeProofs> {
    return this.ask(tree, slots, (minSlot) => this.prover.proveLeaves(tree, leafIndices, minSlot, options), options);
  }

  findQueues(tree: Pubkey, slots: ProofSlots, options?: ProverCallOptions): Promise<TreeQueues> {
    return this.ask(tree, slots, (minSlot) => this.prover.findQueues(tree, minSlot, options), options);
  }

  findQueueElements(
    tree: Pubkey,
    queues: QueueElementsRequest,
    slots: ProofSlots,
    options?: ProverCallOptions,
  ): Promise<QueueElements> {
    return this.ask(tree, slots, (minSlot) => this.prover.findQueueElements(tree, queues, minSlot, options), options);
  }

  private async ask<Answer extends AnsweredBlock>(
    tree: Pubkey,
    slots: ProofSlots,
    call: (minSlot: Slot) => Promise<Answer>,
    options?: ProverCallOptions,
  ): Promise<Answer> {
    for (let asked = 1; ; asked++) {
      try {
        const answer = await call(slots.minSlot);
        await this.requireServed(tree, slots, answer);
        // A tree that is behind the indexed slot has not changed since.
        return { ...answer, slot: Math.max(answer.slot, slots.indexedSlot) };
      } catch (error) {
        const isUndecided = error instanceof TreeOffBranchError || error instanceof BranchUndecidedError;
        if (!isUndecided || asked === MAX_ASKS || options?.signal?.aborted) throw error;
      }
      await sleep(PAUSE_MS);
    }
  }

  private async requireServed(
    tree: Pubkey,
    { minSlot, minBlockhash }: ProofSlots,
    { slot, blockhash }: AnsweredBlock,
  ): Promise<void> {
    // The answer is that of the tables: most are, and need no other statement.
    if (slot === minSlot && blockhash && minBlockhash?.equals(blockhash)) return;
    // No block has the hash 0: without its block, an answer is accepted only if it is older than all stored ones.
    const block = { slot: toSlot(slot), blockhash: blockhash ?? ZERO_HASH };
    const { isOnBranch, closure } = await findProofState(this.reader, block, tree);
    if (closure !== null) throw new TreeNotServableError(CLOSURES[closure]);
    if (isOnBranch) return;
    throw new TreeOffBranchError(`the tree is as of a block at slot ${slot} that is not on the indexed branch`);
  }
}
