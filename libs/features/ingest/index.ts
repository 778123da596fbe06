export { Backpressure, type BackpressureOptions, type ConsumerGroup, projectorsOf, proversOf } from './backpressure';
export { type Correction } from './published-blocks';
export { DeadLetterReader } from './dead-letter.reader';
export { DeadLetterRetrier, type RetryOptions } from './dead-letter.retrier';
export { findResumeState, type ResumeSources } from './find-resume-state';
export { createIngestMetrics, type IngestMetrics } from './ingest.metrics';
export { IndexRepairer, type RepairParts } from './index.repairer';
export { type IngestOptions, IngestService } from './ingest.service';
export { Progress, type ProgressOptions } from './progress';
export {
  type RangeIndex,
  RangeNotFinalError,
  RangeNotIndexedError,
  RangePublisher,
  type SlotRange,
} from './range.publisher';
export {
  readResumeState,
  type ResumeSlotMessage,
  type ResumeTreeMessage,
  selectForResume,
  selectTreeForResume,
  withoutAdopted,
} from './read-resume-state';
export { readStoredState, type StoredTables, type TreeProgress } from './read-stored-state';
export {
  type PartiallyPublishedBlock,
  PUBLISHED_BLOCK_WINDOW,
  NOTHING_PUBLISHED,
  RESUME_POINT,
  type ResumePoint,
  type ResumeState,
} from './resume-point';
export { type RepublicationParts } from './republished-tree';
export { SlotReader } from './slot.reader';
export { STORED_BLOCKS, type StoredBlock, type StoredBlocks } from './stored-blocks';
export { type RepublisherOptions, TreeOperationsRepublisher } from './tree-operations.republisher';
export { TreeRegistry } from './tree-registry';
