import { type Pubkey } from '@fresnel/domain/primitives';
import { ONE_POINT } from '../cost';
import { defineContract, NOTHING_INDEXED } from '../method-contract';
import { readPubkey } from '../params/base58-values';
import { readMembers, required } from '../params/members';
import { closedObject } from '../schemas/closed-object';
import { withContext } from '../schemas/context';
import { nullable, PubkeyText } from '../schemas/scalars';
import { TreeStatus } from '../schemas/tree-status';
import { EXAMPLE_ACCOUNT_V2 } from './example-values';
import { EXAMPLE_ROOT } from './account-proof';

const { tree, queue } = EXAMPLE_ACCOUNT_V2.merkleContext;

export const getTreeStatus = defineContract({
  name: 'getTreeStatus',
  summary: 'A state or address tree: how full it is, its root and queues, and whether proofs of it are given.',
  description: 'The value of an unknown tree is null. A tree can be some slots before or after the context.',
  params: closedObject({ tree: PubkeyText }),
  parseParams: (params): { tree: Pubkey } => ({
    tree: required(readMembers(params, 'params', ['tree']), 'tree', readPubkey),
  }),
  result: withContext(nullable(TreeStatus)),
  cost: ONE_POINT,
  errors: [{ kind: 'invalidParams', when: 'tree is not a public key' }, NOTHING_INDEXED],
  example: {
    params: { tree },
    result: {
      context: { slot: 40 },
      value: {
        tree,
        queue,
        type: 3,
        height: 32,
        capacity: 2n ** 32n,
        nextIndex: 1_500n,
        root: EXAMPLE_ROOT,
        rootSeq: 3n,
        slot: 40,
        served: true,
        reason: null,
        queues: [
          { queueType: 3, queueSize: 6n },
          { queueType: 5, queueSize: 16n },
        ],
      },
    },
  },
});
