import { callNullifyLeaves } from '../calls/forester-calls';
import { encodeLeavesNullified } from '../encode/tree-events';
import { type LeavesNullifiedFacts } from '../facts';
import { type TransactionDraft } from '../transaction/draft';
import { type StateTreeV1 } from '../trees/state-tree-v1';
import { type ForestryStep, repeatForestry } from './forestry';
import { type Stage } from './stage';

/** Today's program nullifies one leaf at a time; the event could tell of several. */
const SEVERAL_SHARE = 0.15;
const MAX_LEAVES = 4;

/** A forester zeroes leaves of consumed accounts in V1 state trees. */
export function nullifyLeaves(stage: Stage): TransactionDraft | null {
  return repeatForestry(stage, nullifySome);
}

/** Leaves that wait to be nullified, none for a tree where none does. */
function planNullification({ random }: Stage, tree: StateTreeV1): LeavesNullifiedFacts | null {
  const count = random.chance(SEVERAL_SHARE) ? random.between(2, MAX_LEAVES) : 1;
  const leafIndices = random.sample(tree.nullifierQueue, count);
  if (leafIndices.length === 0) return null;
  return { kind: 'leaves-nullified', tree: tree.info.tree, leafIndices, seq: tree.seq + 1n };
}

function nullifySome(stage: Stage): ForestryStep | null {
  const tree = stage.random.pick(stage.chain.stateTreesV1);
  const event = planNullification(stage, tree);
  if (!event) return null;
  const payload = encodeLeavesNullified(event.tree, event.leafIndices, event.seq);
  return { event, call: callNullifyLeaves(stage.cast.forester, tree.info, event.leafIndices, payload) };
}
