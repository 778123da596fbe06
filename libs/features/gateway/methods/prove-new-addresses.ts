import { AddressExistsError, type ProverClient } from '@fresnel/adapters/prover-client';
import { type AddressWithTree, type NewAddressProofItem } from '@fresnel/contracts/rpc';
import { type Hash, isZero, keyOf, type Pubkey, type Slot } from '@fresnel/domain/primitives';
import { presentProofs } from '../present/new-address-proof.presenter';

/** Addresses of one tree and where their proofs go in the answer. */
interface TreeRequest {
  tree: Pubkey;
  addresses: Hash[];
  places: number[];
}

/**
 * Proofs in the order asked for, and the slot up to which each of their trees is applied at least. What other methods
 * show already has been applied to the trees too.
 */
export async function proveNewAddresses(
  requests: readonly AddressWithTree[],
  prover: ProverClient,
  findMinSlot: () => Promise<Slot>,
) {
  const lowest = requests.find(({ address }) => isZero(address));
  if (lowest) throw new AddressExistsError(lowest.address);
  const minSlot = await findMinSlot();
  const slots: number[] = [];
  const value: NewAddressProofItem[] = [];
  const prove = async ({ tree, addresses, places }: TreeRequest) => {
    const proofs = await prover.proveNewAddresses(tree, addresses, minSlot);
    slots.push(proofs.slot);
    for (const [index, item] of presentProofs(tree, proofs).entries()) value[places[index]] = item;
  };
  await Promise.all(groupByTree(requests).map(prove));
  return { context: { slot: Math.min(...slots) }, value };
}

function groupByTree(requests: readonly AddressWithTree[]): TreeRequest[] {
  const groups = new Map<string, TreeRequest>();
  for (const [place, { tree, address }] of requests.entries()) {
    const key = keyOf(tree);
    const group = groups.get(key) ?? { tree, addresses: [], places: [] };
    group.addresses.push(address);
    group.places.push(place);
    groups.set(key, group);
  }
  return [...groups.values()];
}
