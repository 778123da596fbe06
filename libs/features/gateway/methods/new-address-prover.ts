import { ProverOnBranch } from './prover-on-branch';
import { AddressExistsError } from '@fresnel/adapters/prover-client';
import { findProofSlots, type ProofSlots, Reader } from '@fresnel/adapters/store-read';
import { type AddressWithTree, NewAddressProofItem } from '@fresnel/contracts/rpc';
import { isZero } from '@fresnel/domain/primitives';
import { Injectable } from '@nestjs/common';
import { presentNewAddressProofs } from '../present/new-address-proof.presenter';
import { compileListSerializer, contextText } from '../responses/list-text';
import { type JsonText } from '../responses/response-text';
import { groupByTree, type TreeGroup } from './group-by-tree';
import { type CallContext } from './rpc-method';

type PresentProof = () => NewAddressProofItem;

/** An address, and its position in the request. */
type PlacedAddress = AddressWithTree & { position: number };

/** Answers both methods for new-address proofs: one request to the prover for each tree. */
@Injectable()
export class NewAddressProver {
  private readonly toItemsJson = compileListSerializer(NewAddressProofItem, (present: PresentProof) => present());

  constructor(
    private readonly prover: ProverOnBranch,
    private readonly reader: Reader,
  ) {}

  /**
   * Proofs in the order of the request. Asks the prover for trees with all changes up to the indexed slot, so that proofs
   * include everything that other methods show.
   *
   * @returns the result as JSON text; `context.slot` is the lowest slot of the trees involved, and not below the indexed slot
   */
  async prove(requests: readonly AddressWithTree[], context?: CallContext): Promise<JsonText> {
    // Address 0 is the initial element of every tree.
    const zero = requests.find(({ address }) => isZero(address));
    if (zero) throw new AddressExistsError(zero.address);
    const slots = await findProofSlots(this.reader);
    const items: PresentProof[] = [];
    const groups = groupByTree(requests.map((request, position) => ({ ...request, position })));
    const proving = groups.map((group) => this.proveTree(group, slots, items, context));
    const treeSlots = await Promise.all(proving);
    return contextText(Math.min(...treeSlots), await this.toItemsJson(items));
  }

  /**
   * Adds the proofs of one tree to `items`, at their positions in the request.
   *
   * @returns the slot at which they are true
   */
  private async proveTree(
    { tree, items: placed }: TreeGroup<PlacedAddress>,
    slots: ProofSlots,
    items: PresentProof[],
    context?: CallContext,
  ): Promise<number> {
    const addresses = placed.map(({ address }) => address);
    const proofs = await this.prover.proveNewAddresses(tree, addresses, slots, context);
    for (const [at, present] of presentNewAddressProofs(tree, proofs).entries()) items[placed[at].position] = present;
    return proofs.slot;
  }
}
