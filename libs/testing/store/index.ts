export { describeFunction, type FunctionDatabase, insertStateTrees, letterHash, STATE_TREES } from './function-suite';
export { waitForBlockedSessions } from './lock-waiter';
export { explainStatement, type QueryPlan } from './query-plan';
export { digestState, withoutBlocks } from './state-digest';
export {
  type AccountRowToInsert,
  fillAccounts,
  filledKey,
  fillHolders,
  fillSignatures,
  fillTransactions,
  insertAccount,
  insertHolders,
  insertSignatures,
  insertTransaction,
  insertTree,
  listUnspentAccounts,
  insertTreeBranch,
  setIndexedSlot,
  insertBlock,
} from './store-rows';
export { createTestDatabase, onDatabase, type TestDatabase } from './test-database';
export { backUpDatabase, type DatabaseBackup, emptyDatabase } from './database-backup';
