export { createIngestMetrics, type IngestMetrics } from './ingest.metrics';
export { type IngestOptions, IngestService, RESUME_POINT, type ResumePoint } from './ingest.service';
export { parseSlot } from './parse-slot';
export { Progress, type ProgressOptions } from './progress';
export { TreeRegistry } from './tree-registry';
