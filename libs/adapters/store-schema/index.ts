export { ACCOUNT_COLUMNS, type AccountColumn, columnNames, SPEND_COLUMNS, type SpendColumn } from './account-columns';
export { Database } from './database';
export { connect, type DatabaseOptions, poolOf } from './data-source';
export { checkSchema, migrate, migrateDatabase, MIGRATION_CONNECTIONS, SchemaBehindError } from './schema';
export { findLogGeneration, startLogGeneration } from './log-generation.statement';
export {
  advancePosition,
  claimPosition,
  findPosition,
  findPositions,
  listPositions,
  movePosition,
  type PositionKey,
  type PositionMove,
  setPositions,
  type StoredPosition,
} from './position.statement';
export { joinHashes, splitHashes } from './hash-list';
export { readFaultOf, sqlStateOf, StoreUnavailableError, whileAvailable } from './outage';
export { createReadRole } from './read-role';
export { SESSION_SETTINGS, withSettings } from './session-settings';
export { toSlotOrNull, toTreeHead, toTreeRow, type TreeRow } from './tree-head.row';
export { firstTransactionId, transactionIds } from './transaction-id';
export {
  encodeInTurns,
  TRANSACTION_JSON_ENCODER,
  type TransactionJson,
  type TransactionJsonEncoder,
} from './transaction-json.encoder';
