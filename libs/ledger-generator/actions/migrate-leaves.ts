import { encodeLeavesNullified } from '../encode/tree-events';
import { type LeafMigratedFacts } from '../facts';
import { migrateStateInstruction } from '../instructions/forester-instructions';
import { type TransactionDraft } from '../transaction/transaction-draft';
import { type ForesterUpdate, buildForesterTransaction } from './forester-transaction';
import { type GenerationContext } from './generation-context';

/** Builds a forester's transaction that moves leaves of live accounts from V1 to V2 state trees. */
export function migrateLeaves(context: GenerationContext): TransactionDraft | null {
  return buildForesterTransaction(context, nextMigration);
}

/** Null if no live account is in a V1 tree. */
function nextMigration(context: GenerationContext): ForesterUpdate | null {
  const event = planMigration(context);
  if (!event) return null;
  const { tree, account, seq, target } = event;
  const payload = encodeLeavesNullified(tree, [account.leafIndex], seq);
  return { event, instruction: migrateStateInstruction(context.actors.forester, account, target, payload) };
}

function planMigration(context: GenerationContext): LeafMigratedFacts | null {
  const { chain, random } = context;
  const pool = random.pick([chain.plainAccounts, chain.tokenAccounts]);
  const account = context.drawAccount(pool, ({ tree }) => tree.type === 'stateV1');
  if (!account) return null;
  const { tree } = account.tree;
  const seq = chain.treeOf(chain.stateTreesV1, tree).seq + 1n;
  const target = random.pick(chain.stateTreesV2);
  const targetLeafIndex = target.positionAfter(0).leafIndex;
  return { kind: 'leaf-migrated', tree, account, seq, target: target.info, targetLeafIndex };
}
