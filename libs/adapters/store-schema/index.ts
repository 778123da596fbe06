export { Database } from './database';
export { checkSchema, connect, type DatabaseOptions, migrate } from './data-source';
export { type AccountRow } from './entities/account.entity';
export { BlockEntity, type BlockRow } from './entities/block.entity';
export { IndexerStateEntity, type IndexerStateRow } from './entities/indexer-state.entity';
export { PositionEntity } from './entities/position.entity';
export { findPosition, movePosition, type PositionKey, type PositionMove, claimPosition } from './position.statement';
export {
  AddressTreeBlocksEntity,
  AddressTreeElementEntity,
  AddressTreeEntity,
  AddressTreePageEntity,
  type AddressTreeRow,
  AddressTreeStateEntity,
  AddressTreeUndoEntity,
  QueuedAddressEntity,
} from './entities/address-tree.entity';
export { sqlStateOf, StoreUnavailableError, whileAvailable } from './outage';
export { createReadRole } from './read-role';
