export { JoinedIngest } from './joined-ingest';
export { IngestOnNode } from './ingest-on-node';
export { createTestIngest, PlayedBlocks, RecordingBus, type TestIngestParts, rejectOnAbort } from './test-ingest';
