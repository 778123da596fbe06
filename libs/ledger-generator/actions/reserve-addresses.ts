import { type TransitionPlan } from './transition-plan';
import { type GenerationContext } from './generation-context';

/** Maximum number of new addresses per instruction. */
const MAX_ADDRESSES = 8;

/** Plans new addresses without accounts. The first is in a V2 tree. */
export function planAddressReservation({ actors, chain, random }: GenerationContext): TransitionPlan {
  const program = actors.pickProgram();
  const others = random.between(0, MAX_ADDRESSES - 1);
  const tree = random.pick(chain.addressTreesV2);
  const trees = Array.from({ length: others }, () => (random.chance(0.8) ? tree : random.pick(chain.addressTrees)));
  const newAddresses = [tree, ...trees].map((addressTree) => actors.newAddress(addressTree, program));
  return { inputs: [], outputs: [], newAddresses, payer: actors.pickWallet(), program };
}
