import { toSlot } from '@fresnel/domain/primitives';
import { initialStateOf, NO_CHANGES, NO_POSITIONS, type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { encodeTreeAccount } from '@fresnel/testing/chain';
import { testHash } from '@fresnel/testing/slots';
import { findTreeFaults, type ObservedTree } from './find-tree-faults';

const [STATE_V1, , STATE_V2, , ADDRESS_V1, ADDRESS_V2] = generatedTrees();
const SLOTS = [toSlot(100), toSlot(200)] as const;
const ROOT = testHash(7);
const POSITIONS = { seq: 9n, queueEnd: 4n, inputQueueEnd: 2n };

/** A tree as the index has it, with all operations. */
function headOf(info: TreeInfo, state: Partial<TreeHead> = {}): TreeHead {
  const positions = { ...NO_POSITIONS, ...POSITIONS };
  const rest = { inputQueueStart: 0n, quarantineReason: null, changes: NO_CHANGES, untrusted: null };
  return { info, ...positions, nextIndex: 3, root: ROOT, seen: positions, ...rest, ...state };
}

/** A tree as the chain has it. */
function observe(
  tree: TreeInfo,
  state: Partial<TreeInfo['observed'] & { outputQueueEnd: bigint | null }> = {},
): ObservedTree {
  const { outputQueueEnd = null, ...observed } = state;
  const info = { ...tree, observed: { ...tree.observed, ...POSITIONS, root: ROOT, ...observed } };
  return { info, account: encodeTreeAccount(info), outputQueueEnd };
}

const faultsOf = (tree: ObservedTree, ...heads: TreeHead[]) =>
  findTreeFaults([tree], heads, SLOTS).map(({ reason, sequenceNumbers }) => [reason, sequenceNumbers]);

describe('findTreeFaults', () => {
  it.each([STATE_V1, STATE_V2, ADDRESS_V1, ADDRESS_V2])('finds nothing in a tree that is equal: $type', (info) => {
    expect(faultsOf(observe(info), headOf(info))).toEqual([]);
  });

  it('names the tree, and the slots of the history', () => {
    const [fault] = findTreeFaults([observe(STATE_V1)], [], SLOTS);
    expect(fault).toEqual({ tree: STATE_V1.tree, reason: 'tree-missing', sequenceNumbers: [1n, 9n], slots: SLOTS });
  });

  it.each([
    ['with operations', STATE_V1, { queueEnd: 0n, inputQueueEnd: 0n }, [['tree-missing', [1n, 9n]]]],
    ['with operations after the initial ones', ADDRESS_V1, { seq: 5n }, [['tree-missing', [4n, 5n]]]],
    ['with queued values only', ADDRESS_V2, { seq: 0n, inputQueueEnd: 0n }, [['tree-missing', null]]],
    [
      'with queued outputs only',
      STATE_V2,
      { seq: 0n, queueEnd: 0n, inputQueueEnd: 0n, outputQueueEnd: 1n },
      [['tree-missing', null]],
    ],
    ['in its initial state', ADDRESS_V1, { seq: 3n, queueEnd: 0n, inputQueueEnd: 0n }, []],
  ] as const)('finds a tree %s of which history has nothing', (_, info, state, expected) => {
    const { seq } = initialStateOf(info.type);
    const untouched = headOf(info, { ...NO_POSITIONS, seq, seen: { ...NO_POSITIONS, seq } });
    expect(faultsOf(observe(info, state))).toEqual(expected);
    expect(faultsOf(observe(info, state), untouched)).toEqual(expected);
  });

  it.each([
    ['a sequence number', STATE_V1, { seq: 12n }, [10n, 12n]],
    ['queued addresses', ADDRESS_V2, { queueEnd: 5n }, null],
    ['queued outputs', STATE_V2, { outputQueueEnd: 5n }, null],
    ['spends', STATE_V2, { inputQueueEnd: 3n }, null],
  ] as const)('finds a tree that has not reached %s of the chain', (_, info, state, sequenceNumbers) => {
    expect(faultsOf(observe(info, state), headOf(info))).toEqual([['operations-missing', sequenceNumbers]]);
  });

  it('finds a hole in a tree, up to the newest operation that was seen', () => {
    const head = headOf(STATE_V1, { seen: { ...NO_POSITIONS, ...POSITIONS, seq: 14n } });
    expect(faultsOf(observe(STATE_V1), head)).toEqual([['operations-missing', [10n, 14n]]]);
  });

  it('compares no root with an account from before the tree', () => {
    const behind = observe(STATE_V1, { seq: 8n, root: testHash(8) });
    expect(faultsOf(behind, headOf(STATE_V1))).toEqual([]);
  });

  it('finds another root, and a quarantined tree', () => {
    expect(faultsOf(observe(STATE_V1, { root: testHash(8) }), headOf(STATE_V1))).toEqual([['root-differs', [9n, 9n]]]);
    const quarantined = headOf(STATE_V1, { quarantineReason: 'another root', seq: 6n });
    expect(faultsOf(observe(STATE_V1), quarantined)).toEqual([['root-differs', [6n, 6n]]]);
  });

  it('accepts a root that the chain had before', () => {
    const observed = observe(STATE_V1, { seq: 9n });
    const account = encodeTreeAccount({ ...observed.info, observed: { ...observed.info.observed, seq: 11n } });
    expect(faultsOf({ ...observed, account }, headOf(STATE_V1))).toEqual([]);
  });
});
