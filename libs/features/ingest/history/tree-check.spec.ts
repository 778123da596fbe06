import { toSlot } from '@fresnel/domain/primitives';
import { NO_CHANGES, NO_POSITIONS, type TreeHead, type TreeInfo } from '@fresnel/domain/trees';
import { generatedTrees } from '@fresnel/ledger-generator';
import { encodeQueueAccount, encodeTreeAccount } from '@fresnel/testing/chain';
import { testHash } from '@fresnel/testing/slots';
import { type TreeComparison } from './history-check';
import { TreeCheck } from './tree-check';

const [V1, , V2] = generatedTrees();
const ROOT = testHash(7);
const never = new AbortController().signal;
const OPTIONS = { attempts: 5, pauseMs: 0, waitMs: 60_000 };

const headOf = (info: TreeInfo, changes: Partial<TreeHead> = {}): TreeHead => ({
  ...{ info, ...NO_POSITIONS, seq: 9n, nextIndex: 3, root: ROOT, inputQueueStart: 0n },
  ...{ seen: NO_POSITIONS, quarantineReason: null, changes: NO_CHANGES, untrusted: null },
  ...changes,
});
const onChain = (info: TreeInfo, observed: Partial<TreeInfo['observed']> = {}): TreeInfo => ({
  ...info,
  observed: { ...info.observed, slot: toSlot(50), seq: 9n, nextIndex: 3n, root: ROOT, ...observed },
});

/** Comparisons one after the other: the accounts before and after a tree of the index. */
async function run(
  comparisons: {
    head?: TreeHead;
    before?: TreeInfo;
    after?: TreeInfo;
    outputQueueEnds?: [bigint, bigint];
    faults?: TreeComparison['faults'];
  }[],
): Promise<string[]> {
  let queueEnd = 0n;
  let attempts = 0;
  const check = {
    compareTrees: () => {
      const {
        head,
        before,
        after,
        outputQueueEnds,
        faults = [],
      } = comparisons[Math.min(attempts++, comparisons.length - 1)];
      queueEnd = outputQueueEnds?.[1] ?? 0n;
      const observed =
        before && after
          ? [{ info: before, account: encodeTreeAccount(after), outputQueueEnd: outputQueueEnds?.[0] ?? null }]
          : [];
      return Promise.resolve({ heads: head ? [head] : [], observed, faults, waiting: [] });
    },
  };
  const trees = { listHeads: () => Promise.resolve([]), listPartitions: () => Promise.resolve(new Map()) };
  const readAccount = () => Promise.resolve({ data: encodeQueueAccount(V2, queueEnd), slot: toSlot(51) });
  const compared = await new TreeCheck({ check, trees, readAccount }, OPTIONS).run(never);
  return compared.map(({ result, reason }) => `${result} ${String(reason)} ${attempts}`);
}

describe('the check of trees', () => {
  it('finds a tree equal that did not change meanwhile', async () => {
    expect(await run([{ head: headOf(V1), before: onChain(V1), after: onChain(V1) }])).toEqual(['equal null 1']);
  });

  it.each([
    ['nextIndex-differs', headOf(V1, { nextIndex: 4 }), onChain(V1)],
    ['inputQueueEnd-differs', headOf(V2, { inputQueueEnd: 1n }), onChain(V2)],
    ['queueEnd-differs', headOf(V2, { queueEnd: 2n }), onChain(V2)],
  ])('finds that %s', async (reason, head, info) => {
    const outputQueueEnds = info.type === 'stateV2' ? ([0n, 0n] as [bigint, bigint]) : undefined;
    expect(await run([{ head, before: info, after: info, outputQueueEnds }])).toEqual([`differs ${reason} 1`]);
  });

  it('compares a tree again that changed meanwhile, at the node or in its queue', async () => {
    const [before, after] = [onChain(V1), onChain(V1, { seq: 10n, nextIndex: 4n })];
    const changing = { head: headOf(V1), before, after };
    const still = { head: headOf(V1, { seq: 10n, nextIndex: 4 }), before: after, after };
    expect(await run([changing, changing, still])).toEqual(['equal null 3']);
    expect(await run([changing])).toEqual(['not-checked the tree changed meanwhile 5']);
    const queued = { head: headOf(V2), before: onChain(V2), after: onChain(V2) };
    expect(
      await run([
        { ...queued, outputQueueEnds: [0n, 1n] },
        { ...queued, outputQueueEnds: [0n, 0n] },
      ]),
    ).toEqual(['equal null 2']);
  });

  it('takes over what the comparison of histories finds', async () => {
    const fault = { tree: V1.tree, reason: 'root-differs', sequenceNumbers: null, slots: [toSlot(0), toSlot(50)] };
    const faults = [fault] as unknown as TreeComparison['faults'];
    expect(await run([{ head: headOf(V1), before: onChain(V1), after: onChain(V1), faults }])).toEqual([
      'differs root-differs 1',
    ]);
  });

  it('does not count a node that is behind, or has no such tree', async () => {
    const behind = onChain(V1, { seq: 8n });
    expect(await run([{ head: headOf(V1), before: behind, after: behind }])).toEqual([
      'not-checked the node is behind 5',
    ]);
    expect(await run([{ head: headOf(V1) }])).toEqual(['not-checked the node has no account of this tree 5']);
  });
});
