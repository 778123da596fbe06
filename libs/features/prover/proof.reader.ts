import { setTimeout as sleep } from 'node:timers/promises';
import {
  AddressExistsError,
  type NewAddressProof,
  type NewAddressProofs,
  type ProverClient,
  ProverUnavailableError,
  TreeNotServableError,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import { type TreeProof, type TreeStore } from '@fresnel/adapters/tree-store';
import { type Hash, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { unservableReasonOf } from '@fresnel/domain/trees';

const POLL_INTERVAL_MS = 10;

export interface ProofReaderOptions {
  /** Serve proofs from trees with gaps. For recordings that start inside the history of a tree. */
  acceptTreeGaps: boolean;
  /** How long a request waits for a slot that the trees do not have yet. */
  maxWaitMs: number;
}

/** Reads new-address proofs from the stored trees. */
export class ProofReader implements ProverClient {
  constructor(
    private readonly store: TreeStore,
    private readonly options: ProofReaderOptions,
  ) {}

  async proveNewAddresses(tree: Pubkey, addresses: readonly Hash[], minSlot: Slot): Promise<NewAddressProofs> {
    await this.waitForSlot(tree, minSlot);
    const proofs = await this.store.readProofs(tree, addresses);
    if (!proofs) throw new UnknownTreeError(tree);
    const { head, slot, items } = proofs;
    // The tree may be further back than a moment ago: the store was emptied, or a fork was reverted.
    if (slot < minSlot) {
      throw new ProverUnavailableError(`the tree is applied up to slot ${slot}, but slot ${minSlot} is requested`);
    }
    const reason = unservableReasonOf(head, slot, this.options.acceptTreeGaps);
    if (reason) throw new TreeNotServableError(reason.message);
    return {
      slot,
      root: head.root,
      rootSeq: head.seq,
      items: items.map((item, index) => toProof(addresses[index], item)),
    };
  }

  /**
   * Waits until the tree has a slot, at most `maxWaitMs`. The projector may have a slot moments before the prover. An
   * unknown tree is waited for by the slot of all trees, since it may be created in a slot that is not applied yet.
   */
  private async waitForSlot(tree: Pubkey, minSlot: Slot): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      const slot = (await this.store.findTreeSlot(tree)) ?? (await this.store.findSlot());
      if (slot !== null && slot >= minSlot) return;
      if (performance.now() - startedAt > this.options.maxWaitMs) {
        throw new ProverUnavailableError(
          `address trees are applied up to slot ${slot ?? 'none'}, but slot ${minSlot} is requested`,
        );
      }
      await sleep(POLL_INTERVAL_MS);
    }
  }
}

function toProof(address: Hash, { low, siblings, exists }: TreeProof): NewAddressProof {
  if (!low || exists) throw new AddressExistsError(address);
  if (low.nextValue.compare(address) <= 0) {
    throw new TreeNotServableError('The elements around this address were not indexed.');
  }
  return {
    address,
    lowerRangeAddress: low.value,
    higherRangeAddress: low.nextValue,
    lowElementLeafIndex: low.index,
    nextIndex: low.nextIndex,
    proof: siblings,
  };
}
