export { findResumeState, type ResumeSources } from './follow/find-resume-state';
export { createFollowMetrics } from './follow/follow.metrics';
export { type FollowOptions, FollowService } from './follow/follow.service';
export { KafkaResumePoint } from './follow/kafka.resume-point';
export { Progress } from './follow/progress';
export { readResumeState, selectForResume, selectTreeForResume, withoutAdopted } from './follow/read-resume-state';
export { readStoredState, type StoredTables } from './follow/read-stored-state';
export {
  NOTHING_PUBLISHED,
  PUBLISHED_BLOCK_WINDOW,
  RESUME_POINT,
  type ResumePoint,
  type ResumeState,
} from './follow/resume-point';
export { StoredResumePoint } from './follow/stored.resume-point';
export { HistoryCheck } from './history/history-check';
export { TreeCheck } from './history/tree-check';
export { createReadMetrics } from './read/read.metrics';
export { SlotReader } from './read/slot.reader';
export { TreeRegistry } from './read/tree-registry';
export { IndexRepairer } from './repair/index.repairer';
export { type SlotRange } from './repair/range.publisher';
export { RepairService } from './repair/repair.service';
export { type RepublicationParts } from './repair/republished-tree';
export { PostgresStoredBlocks, type StoredBlock, type StoredBlocks } from './repair/stored-blocks';
export { TreeOperationsRepublisher } from './repair/tree-operations.republisher';
