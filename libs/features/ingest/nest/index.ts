export { INGEST_TASK, IngestModule, type IngestModuleOptions } from './ingest.module';
