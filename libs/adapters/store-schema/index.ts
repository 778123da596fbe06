export {
  ACCOUNT_COLUMNS,
  type AccountColumn,
  type AccountRow,
  columnNames,
  CONSUMED_COLUMNS,
  type ConsumedColumn,
  CREATED_COLUMNS,
  type CreatedColumn,
} from './account-columns';
export { Database } from './database';
export { checkSchema, connect, type DatabaseOptions, migrate } from './data-source';
export { claimPosition, findPosition, movePosition, type PositionKey, type PositionMove } from './position.statement';
export { sqlStateOf, StoreUnavailableError, whileAvailable } from './outage';
export { createReadRole } from './read-role';
