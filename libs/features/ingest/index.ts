export { createIngestMetrics, type IngestMetrics } from './ingest.metrics';
export { type IngestOptions, IngestService, RESUME_POINT, type ResumePoint } from './ingest.service';
export { Progress, type ProgressOptions } from './progress';
export { TreeRegistry } from './tree-registry';
