export { IngestOnNode } from './ingest-on-node';
export { createTestIngest, PlayedBlocks, RecordingBus, type TestIngestParts, untilStopped } from './test-ingest';
