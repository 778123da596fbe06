import { ProverOnBranch } from './prover-on-branch';
import { AddressExistsError, type ProverClient } from '@fresnel/adapters/prover-client';
import { findProofSlots, type ProofSlots, Reader } from '@fresnel/adapters/store-read';
import { type AddressWithTree } from '@fresnel/contracts/rpc';
import { type Hash, isZero, keyOf, type Pubkey } from '@fresnel/domain/primitives';
import { yieldAfter } from '@fresnel/platform';
import { Inject, Injectable } from '@nestjs/common';
import { ProofWriter } from '../present/new-address-proof.presenter';
import { encodedListText, MAX_TURN_MS } from '../responses/list-text';
import { ResponseMemory } from '../responses/response-memory';
import { type CallContext } from './rpc-method';

/** Proofs that are written at once: 330 kB, about half a millisecond. */
const PROOFS_PER_PART = 250;

/** The addresses of one tree, and the position of each in the request. */
interface TreeRequest {
  tree: Pubkey;
  addresses: Hash[];
  positions: number[];
}

/** Answers both methods for new-address proofs: one request to the prover for each tree. */
@Injectable()
export class NewAddressProver {
  constructor(
    @Inject(ProverOnBranch) private readonly prover: ProverClient,
    private readonly reader: Reader,
    private readonly memory: ResponseMemory,
  ) {}

  /**
   * Proofs in the order of the request. Asks the prover for trees with all changes up to the indexed slot, so that proofs
   * include everything that other methods show.
   *
   * @returns the result as JSON text; `context.slot` is the lowest slot of the trees involved, and not below the indexed slot
   */
  async prove(requests: readonly AddressWithTree[], context?: CallContext): Promise<Buffer[]> {
    // Address 0 is the initial element of every tree.
    const zero = requests.find(({ address }) => isZero(address));
    if (zero) throw new AddressExistsError(zero.address);
    const slots = await findProofSlots(this.reader);
    const items: Buffer[] = [];
    const proving = groupByTree(requests).map((group) => this.proveTree(group, slots, items, context));
    const treeSlots = await Promise.all(proving);
    return encodedListText(Math.min(...treeSlots), Object.values(items));
  }

  /**
   * Writes the proofs of one tree as JSON. Those with consecutive positions are one text in `items`, at the first of them.
   *
   * @returns the slot at which they are true
   */
  private async proveTree(
    { tree, addresses, positions }: TreeRequest,
    { indexedSlot, minSlot }: ProofSlots,
    items: Buffer[],
    context?: CallContext,
  ): Promise<number> {
    const proofs = await this.prover.proveNewAddresses(tree, addresses, minSlot, context);
    const writer = new ProofWriter(tree, proofs);
    let memory = this.memory.take(writer.maxBytes);
    for (let start = 0, end; start < positions.length; start = end) {
      end = endOfRun(positions, start);
      const text = writer.write(memory, start, end);
      items[positions[start]] = text;
      memory = memory.subarray(text.length);
      await yieldAfter(MAX_TURN_MS);
    }
    // A tree that is behind the indexed slot has not changed since.
    return Math.max(proofs.slot, indexedSlot);
  }
}

/** The end of consecutive positions, of which at most `PROOFS_PER_PART` are written at once. */
function endOfRun(positions: readonly number[], start: number): number {
  let end = start + 1;
  while (end - start < PROOFS_PER_PART && positions[end] === positions[end - 1] + 1) end++;
  return end;
}

function groupByTree(requests: readonly AddressWithTree[]): TreeRequest[] {
  const groups = new Map<string, TreeRequest>();
  for (const [position, { tree, address }] of requests.entries()) {
    const key = keyOf(tree);
    const group = groups.get(key) ?? { tree, addresses: [], positions: [] };
    group.addresses.push(address);
    group.positions.push(position);
    groups.set(key, group);
  }
  return [...groups.values()];
}
