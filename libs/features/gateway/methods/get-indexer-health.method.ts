import { findIndexerStatus } from '@fresnel/adapters/store-read';
import { getIndexerHealth } from '@fresnel/contracts/rpc';
import { findFaults } from '../health/find-faults';
import { IndexerUnhealthyError } from '../health/indexer-unhealthy.error';
import { defineMethod } from './method';

export const getIndexerHealthMethod = defineMethod(getIndexerHealth, async (_, { reader, options }) => {
  const fault = findFaults(await findIndexerStatus(reader), options, Date.now()).at(0);
  if (fault !== undefined) throw new IndexerUnhealthyError(fault);
  return 'ok' as const;
});
