import { nullifyLeavesInstruction } from '../instructions/forester-instructions';
import { encodeLeavesNullified } from '../encode/tree-events';
import { type LeavesNullifiedFacts } from '../facts';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type StateTreeV1 } from '../trees/state-tree-v1';
import { type ForesterUpdate, buildForesterTransaction } from './forester-transaction';
import { type GenerationContext } from './generation-context';

/** The current program nullifies one leaf at a time; the event format allows several. */
const SEVERAL_SHARE = 0.15;
const MAX_LEAVES = 4;

/** Builds a forester's transaction that zeroes leaves of consumed accounts in V1 state trees. */
export function nullifyLeaves(context: GenerationContext): TransactionDraft | null {
  return buildForesterTransaction(context, nextNullification);
}

/** Random leaves of the nullifier queue; null when the queue is empty. */
function planNullification({ random }: GenerationContext, tree: StateTreeV1): LeavesNullifiedFacts | null {
  const count = random.chance(SEVERAL_SHARE) ? random.between(2, MAX_LEAVES) : 1;
  const leafIndices = random.sample(tree.nullifierQueue, count);
  if (leafIndices.length === 0) return null;
  return { kind: 'leaves-nullified', tree: tree.info.tree, leafIndices, seq: tree.seq + 1n };
}

function nextNullification(context: GenerationContext): ForesterUpdate | null {
  const tree = context.random.pick(context.chain.stateTreesV1);
  const event = planNullification(context, tree);
  if (!event) return null;
  const payload = encodeLeavesNullified(event.tree, event.leafIndices, event.seq);
  return {
    event,
    instruction: nullifyLeavesInstruction(context.actors.forester, tree.info, event.leafIndices, payload),
  };
}
