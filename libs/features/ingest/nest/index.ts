export { RANGE_TASK, RangeModule, type RangeModuleOptions } from './range.module';
export { INGEST_TASK, IngestModule, type IngestModuleOptions } from './ingest.module';
