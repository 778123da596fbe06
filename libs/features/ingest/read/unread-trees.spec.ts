import { type CompressionEvent } from '@fresnel/domain/events';
import { keyOf, type Pubkey, toBase58, toPubkey, toSignature } from '@fresnel/domain/primitives';
import { type TransactionEvents } from '@fresnel/domain/state';
import { addUnreadTrees } from './unread-trees';

const keyAt = (byte: number): Pubkey => toPubkey(Buffer.alloc(32, byte));
const SIGNATURE = toSignature(Buffer.alloc(64, 1));

function transactionAt(index: number, ...trees: Pubkey[]): TransactionEvents {
  const events = trees.map((tree): CompressionEvent => ({
    kind: 'leaves-nullified',
    tree,
    leafIndices: [0n],
    seq: 1n,
  }));
  return { signature: SIGNATURE, index, events, json: `{"transaction":${index}}` };
}

describe('addUnreadTrees', () => {
  const unread = new Map([[keyOf(keyAt(7)), 'the node lags']]);
  const reason = `tree account ${toBase58(keyAt(7))} could not be read: the node lags`;

  it('adds one dead letter for each transaction that names an unread account, also if it names it twice', () => {
    const transactions = [transactionAt(0, keyAt(1)), transactionAt(2, keyAt(7), keyAt(1), keyAt(7))];
    expect(addUnreadTrees([], transactions, unread)).toEqual([
      { signature: SIGNATURE, index: 2, reasons: [reason], json: '{"transaction":2}' },
    ]);
  });

  it('adds its reasons to those of the parser, and keeps other dead letters', () => {
    const other = { signature: null, index: 9, reasons: ['truncated'], json: '{}' };
    const letter = { signature: SIGNATURE, index: 4, reasons: ['malformed'], json: '{"transaction":4}' };
    expect(addUnreadTrees([other, letter], [transactionAt(4, keyAt(7))], unread)).toEqual([
      { ...letter, reasons: ['malformed', reason] },
      other,
    ]);
  });

  it('adds nothing if all accounts were read', () => {
    expect(addUnreadTrees([], [transactionAt(0, keyAt(7))], new Map())).toEqual([]);
  });
});
