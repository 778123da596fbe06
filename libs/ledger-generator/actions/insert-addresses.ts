import { updateAddressTreeInstruction } from '../instructions/forester-instructions';
import { encodeAddressesInserted } from '../encode/tree-events';
import { type AddressesInsertedFacts } from '../facts';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type AddressTree } from '../trees/address-tree';
import { type ForesterUpdate, buildForesterTransaction } from './forester-transaction';
import { type GenerationContext } from './generation-context';

const SEVERAL_SHARE = 0.3;
const MAX_ADDRESSES = 4;

/** Builds a forester's transaction that inserts queued addresses into V1 address trees. */
export function insertAddresses(context: GenerationContext): TransactionDraft | null {
  return buildForesterTransaction(context, nextInsertion);
}

/** Random queued addresses in random order; null when the queue is empty. */
function planInsertion({ random }: GenerationContext, tree: AddressTree): AddressesInsertedFacts | null {
  const count = random.chance(SEVERAL_SHARE) ? random.between(2, MAX_ADDRESSES) : 1;
  const addresses = random.sample(tree.queue, count);
  if (addresses.length === 0) return null;
  return { kind: 'addresses-inserted', tree: tree.info.tree, addresses, seq: tree.seq + 1n };
}

function nextInsertion(context: GenerationContext): ForesterUpdate | null {
  const tree = context.random.pick(context.chain.addressTreesV1);
  const event = planInsertion(context, tree);
  if (!event) return null;
  const payload = encodeAddressesInserted(event.tree, tree.insertionsOf(event.addresses), event.seq);
  return { event, instruction: updateAddressTreeInstruction(context.actors.forester, tree.info, payload) };
}
