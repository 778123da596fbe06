export { RangeModule, type RangeModuleOptions, RangeTask } from './range.module';
export { IngestModule, type IngestModuleOptions, IngestTask } from './ingest.module';
