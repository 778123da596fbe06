import { type Intent } from './intent';
import { type Stage } from './stage';

/** The chain takes no more addresses in one call. */
const MAX_ADDRESSES = 8;

/** Addresses that are taken while no account is created. At least the first goes to a V2 tree. */
export function intendReservation({ cast, chain, random }: Stage): Intent {
  const program = cast.program();
  const others = random.between(0, MAX_ADDRESSES - 1);
  const tree = random.pick(chain.addressTreesV2);
  const trees = Array.from({ length: others }, () => (random.chance(0.8) ? tree : random.pick(chain.addressTrees)));
  const newAddresses = [tree, ...trees].map((addressTree) => cast.newAddress(addressTree, program));
  return { inputs: [], outputs: [], newAddresses, payer: cast.wallet(), program };
}
