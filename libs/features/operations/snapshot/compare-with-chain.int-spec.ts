import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openSnapshot } from '@fresnel/adapters/chain/history';
import { LIVE_PROGRAMS, TransactionParser } from '@fresnel/domain/events';
import { parseHash, type Signature, toBase58, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { generateLedger, generatedTrees } from '@fresnel/ledger-generator';
import { encodeTreeAccount } from '@fresnel/testing/chain';
import { captureLog } from '@fresnel/testing/generic';
import { readHistoryLedger, writeLedgerSnapshot } from '@fresnel/testing/history';
import { testHash } from '@fresnel/testing/slots';
import { compareWithChain, type SnapshotNode } from './compare-with-chain';

const LEDGER = readHistoryLedger([...generateLedger({ seed: 53, slots: 30 })]);
const LAST = LEDGER[LEDGER.length - 1];
const TRANSACTIONS = LEDGER.flatMap(({ transactions }) => transactions).filter(({ isFailed }) => !isFailed);
const [TREE] = generatedTrees();
const STATE = { tree: TREE.tree, seq: 9n, nextIndex: 5, root: testHash(7) };
const OBSERVED = { ...TREE.observed, slot: toSlot(1), seq: 9n, nextIndex: 5n, root: testHash(7) };

describe('the comparison of a snapshot with the chain', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fresnel-snapshot-'));
    await writeLedgerSnapshot(folder, LEDGER, { trees: [STATE, { ...STATE, tree: TREE.queue, root: null }] });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const answers = new Map(
    TRANSACTIONS.map(({ signature, slot, json }) => [signature, { slot, ...(JSON.parse(json) as object) }]),
  );
  const node: SnapshotNode = {
    identify: () => Promise.resolve('genesis'),
    findTip: () => Promise.resolve(toSlot(LAST.slot + 60)),
    findBlockhash: () => Promise.resolve(parseHash(LAST.hash)),
    readAccount: () => Promise.resolve(encodeTreeAccount({ ...TREE, observed: OBSERVED })),
    findTransaction: (signature) => Promise.resolve({ json: JSON.stringify(answers.get(toBase58(signature)) ?? null) }),
    findFirstAvailableSlot: () => Promise.resolve(0),
  };
  const compare = (changes: Partial<SnapshotNode> = {}, samples = 1_000) => {
    const options = { urls: [pathToFileURL(folder).href], snapshotSha256: null };
    const source = openSnapshot(options, LIVE_PROGRAMS.accountCompression, captureLog().logger);
    const parser = new TransactionParser(LIVE_PROGRAMS);
    return compareWithChain(source, { ...node, ...changes }, parser, { samples, signal: new AbortController().signal });
  };
  const answering = (change: (answer: object) => object | null): Partial<SnapshotNode> => ({
    findTransaction: (signature) => {
      const answer = change(answers.get(toBase58(signature)) ?? {});
      return Promise.resolve({ json: answer && JSON.stringify(answer) });
    },
  });

  it('counts what is equal', async () => {
    expect(await compare()).toEqual({
      isAnchorKnown: true,
      ...{ trees: 2, equalTrees: 1 },
      ...{ transactions: TRANSACTIONS.length, equalTransactions: TRANSACTIONS.length },
    });
    const asked = jest.fn((signature: Signature) => node.findTransaction(signature, new AbortController().signal));
    expect(await compare({ findTransaction: asked }, 7)).toMatchObject({ transactions: 7, equalTransactions: 7 });
    expect(new Set(asked.mock.calls.map(([signature]) => toBase58(signature))).size).toBe(7);
  });

  it('counts what the node has no more', async () => {
    const forgetful: Partial<SnapshotNode> = {
      findBlockhash: () => Promise.resolve(null),
      readAccount: () => Promise.resolve(encodeTreeAccount({ ...TREE, observed: { ...OBSERVED, seq: 9_999n } })),
      findFirstAvailableSlot: () => Promise.resolve(LAST.slot + 1),
      ...answering(() => null),
    };
    const known = { isAnchorKnown: false, equalTrees: 0, equalTransactions: 0 };
    expect(await compare(forgetful)).toMatchObject(known);
    const unsure = {
      findTransaction: () => Promise.resolve(null),
      findFirstAvailableSlot: () => Promise.resolve(null),
    };
    expect(await compare({ ...forgetful, ...unsure })).toMatchObject(known);
  });

  it.each<[string, Partial<SnapshotNode>, RegExp]>([
    [
      'another chain',
      { identify: () => Promise.resolve('other') },
      /is of the chain with genesis genesis, and the node .* of other/,
    ],
    [
      'a node that is behind',
      { findTip: () => Promise.resolve(toSlot(LAST.slot)) },
      /and the node is at slot \d+: try again later/,
    ],
    [
      'another last block',
      { findBlockhash: () => Promise.resolve(ZERO_HASH) },
      /where the chain has 1{32}. Use another mirror/,
    ],
    [
      'another root',
      {
        readAccount: () =>
          Promise.resolve(encodeTreeAccount({ ...TREE, observed: { ...OBSERVED, root: testHash(8) } })),
      },
      /says that tree \w+ had root \w+ at sequence number 9, and the chain has another/,
    ],
    [
      'a transaction that the chain lacks',
      answering(() => null),
      /transaction \w+ of slots-\S+ differs .*the node has no such/,
    ],
    ['another slot', answering((answer) => ({ ...answer, slot: 1 })), /it is in slot 1, and not in/],
    ['other bytes', answering((answer) => ({ ...answer, transaction: ['AAAA', 'base64'] })), /it has other bytes/],
    [
      'other events',
      answering((answer) => ({
        ...answer,
        meta: { err: null, innerInstructions: [], loadedAddresses: { writable: [], readonly: [] } },
      })),
      /it has other events/,
    ],
  ])('finds %s', async (_, changes, message) => {
    await expect(compare(changes)).rejects.toMatchObject({ code: 'snapshot', message: expect.stringMatching(message) });
  });
});
