import { findIndexedSlot, findIndexerStatus } from '@fresnel/adapters/store-read';
import { CONTRACTS } from '@fresnel/contracts/rpc';
import { wallClock } from '@fresnel/platform/time';
import { IndexHealth } from '../health/index-health';
import { unhealthyReasons } from '../health/unhealthy-reasons';
import { IndexerUnhealthyError } from '../responses/indexer-unhealthy.error';
import { defineMethod, defineValueMethod } from './define-method';

export const INDEXER_METHODS = [
  defineValueMethod(CONTRACTS.getIndexerSlot, (reader) => findIndexedSlot(reader)),
  defineValueMethod(CONTRACTS.getIndexerHealth, async (reader, _, options) => {
    const reason = unhealthyReasons(await findIndexerStatus(reader), options, wallClock()).at(0);
    if (reason !== undefined) throw new IndexerUnhealthyError(reason);
    return 'ok' as const;
  }),
  defineValueMethod(CONTRACTS.liveness, () => Promise.resolve(null)),
  defineMethod(IndexHealth, CONTRACTS.readiness, () => async (health) => {
    await health.read();
    return 'null';
  }),
];
