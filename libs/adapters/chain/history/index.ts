export { GtfaSource } from './gtfa.source';
export { type HistoryClientOptions } from './history-client';
export {
  HistoryAnswerError,
  type HistoryHole,
  type HistoryPage,
  HistoryRefusedError,
  type HistorySlot,
  type HistorySource,
  type HistoryTransaction,
  type HistoryUsage,
  type SlotRange,
} from './history-source';
export { openHistorySource } from './open-history-source';
export { SqdSource, type SqdSourceOptions } from './sqd.source';
