export { type PositionKey } from '@fresnel/adapters/store-schema';
export { type ChainTip } from './indexed-slot.statement';
export { FirstSlotRevertedError, persistSlots } from './persist-slots';
export { OtherChainError, ProjectionStore } from './projection-store';
export {
  type IgnoredSlot,
  type IgnoreReason,
  type PersistedBatch,
  type SlotBatch,
  type SlotChange,
  type SlotRevert,
  type SlotUpdate,
} from './slot-batch';
