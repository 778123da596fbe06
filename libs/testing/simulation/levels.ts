import { INGEST_LEVEL } from './ingest.level';
import { PIPELINE_LEVEL } from './pipeline.level';
import { type Level } from './run-level';
import { TREES_LEVEL } from './trees.level';

/** By number, from 1. */
export const LEVELS: readonly Level[] = [TREES_LEVEL, INGEST_LEVEL, PIPELINE_LEVEL];
