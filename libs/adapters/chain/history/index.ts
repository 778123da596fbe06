export { GtfaSource, type GtfaSourceOptions } from './gtfa.source';
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
export { openHistorySource, openSnapshot } from './open-history-source';
export { encodeLine, type LoggedTransaction } from './snapshot/snapshot-chunk.codec';
export { SnapshotFolder } from './snapshot/snapshot-folder';
export {
  countTransactions,
  type SnapshotChunk,
  SnapshotError,
  type SnapshotManifest,
  type SnapshotTree,
} from './snapshot/snapshot-manifest';
export { CHUNK_TEXT_BYTES } from './snapshot/snapshot-sizes';
export { type SnapshotSource } from './snapshot/snapshot.source';
export { SqdSource, type SqdSourceOptions } from './sqd.source';
