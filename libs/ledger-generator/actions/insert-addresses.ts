import { callUpdateAddressTree } from '../calls/forester-calls';
import { encodeAddressesInserted } from '../encode/tree-events';
import { type AddressesInsertedFacts } from '../facts';
import { type TransactionDraft } from '../transaction/draft';
import { type AddressTree } from '../trees/address-tree';
import { type ForestryStep, repeatForestry } from './forestry';
import { type Stage } from './stage';

const SEVERAL_SHARE = 0.3;
const MAX_ADDRESSES = 4;

/** A forester inserts waiting addresses into V1 address trees. */
export function insertAddresses(stage: Stage): TransactionDraft | null {
  return repeatForestry(stage, insertSome);
}

/** Waiting addresses in any order, null where none waits. */
function planInsertion({ random }: Stage, tree: AddressTree): AddressesInsertedFacts | null {
  const count = random.chance(SEVERAL_SHARE) ? random.between(2, MAX_ADDRESSES) : 1;
  const addresses = random.sample(tree.queue, count);
  if (addresses.length === 0) return null;
  return { kind: 'addresses-inserted', tree: tree.info.tree, addresses, seq: tree.seq + 1n };
}

function insertSome(stage: Stage): ForestryStep | null {
  const tree = stage.random.pick(stage.chain.addressTreesV1);
  const event = planInsertion(stage, tree);
  if (!event) return null;
  const payload = encodeAddressesInserted(event.tree, tree.insertionsOf(event.addresses), event.seq);
  return { event, call: callUpdateAddressTree(stage.cast.forester, tree.info, payload) };
}
