export { type ChainTip } from './indexed-slot.statement';
export { persistSlots, type PersistedBatch, type SlotBatch, type SlotUpdate } from './persist-slots';
export { OtherChainError, ProjectionStore, type StoredBlock } from './projection-store';
