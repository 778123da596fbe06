import {
  findIndexedSlot,
  findIndexerStatus,
  findIndexOverview,
  findOperatorOverview,
  findStoredTrees,
  Reader,
} from '@fresnel/adapters/store-read';
import { CONTRACTS, createOpenRpc } from '@fresnel/contracts/rpc';
import { wallClock } from '@fresnel/platform/time';
import { IndexHealth } from '../health/index-health';
import { unhealthyReasons } from '../health/unhealthy-reasons';
import { presentIndexerStatus } from '../present/indexer-status.presenter';
import { presentTreeStatus } from '../present/tree-status.presenter';
import { documentText } from '../responses/document-text';
import { IndexerUnhealthyError } from '../responses/indexer-unhealthy.error';
import { defineMethod, defineValueMethod } from './define-method';

export const INDEXER_METHODS = [
  defineValueMethod(CONTRACTS.getIndexerSlot, (reader) => findIndexedSlot(reader)),
  defineValueMethod(CONTRACTS.getIndexerHealth, async (reader, _, options) => {
    const reason = unhealthyReasons(await findIndexerStatus(reader), options, wallClock()).at(0);
    if (reason !== undefined) throw new IndexerUnhealthyError(reason);
    return 'ok' as const;
  }),
  // Its parts may be a few slots apart.
  defineValueMethod(CONTRACTS.getIndexerStatus, async (reader, _, options) => {
    const { ACCEPT_TREE_GAPS: acceptTreeGaps, GATEWAY_OPERATOR_STATUS: hasOperatorPart } = options;
    const [index, { trees }, operator] = await Promise.all([
      findIndexOverview(reader),
      findStoredTrees(reader, null),
      hasOperatorPart ? findOperatorOverview(reader) : null,
    ]);
    return presentIndexerStatus({ index, trees, acceptTreeGaps, operator }, wallClock());
  }),
  defineValueMethod(CONTRACTS.getTreeStatus, async (reader, { tree }, { ACCEPT_TREE_GAPS: acceptTreeGaps }) => {
    const { slot, trees } = await findStoredTrees(reader, tree);
    const stored = trees.at(0);
    return { context: { slot }, value: stored ? presentTreeStatus(stored, acceptTreeGaps) : null };
  }),
  defineValueMethod(CONTRACTS.liveness, () => Promise.resolve(null)),
  defineMethod(Reader, CONTRACTS['rpc.discover'], () => () => Promise.resolve(documentText(createOpenRpc))),
  defineMethod(IndexHealth, CONTRACTS.readiness, () => async (health) => {
    await health.read();
    return 'null';
  }),
];
