export { createDataSource, type DatabaseOptions, migrate } from './data-source';
export { type AccountRow } from './entities/account.entity';
export { BlockEntity, type BlockRow } from './entities/block.entity';
export { IndexerStateEntity, type IndexerStateRow } from './entities/indexer-state.entity';
export { PositionEntity, type PositionRow } from './entities/position.entity';
