export { type PositionKey } from '@fresnel/adapters/store-schema';
export { type ChainTip } from './chain-tip.statement';
export {
  type DeadLetterFilter,
  DeadLetterStore,
  type DueLetters,
  type ListedDeadLetter,
  type StoredDeadLetter,
} from './dead-letter.store';
export { type HistoryCoverage, type HistoryDeadLetter, HistoryStore } from './history.store';
export { FirstSlotRevertedError } from './indexed-slot.statement';
export { OtherChainError, ProjectionStore } from './projection-store';
export { type IndexedBlock, type IndexEnd } from './stored-blocks.query';
export {
  type IgnoredSlot,
  type IgnoreReason,
  type PersistedBatch,
  type SlotBatch,
  type SlotAdoption,
  type SlotChange,
  type SlotRevert,
  type SlotUpdate,
} from './slot-batch';
