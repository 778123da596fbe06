import { MalformedBytesError, toBase58 } from '@fresnel/domain/primitives';
import { decodePublicTransactionEvent } from './public-transaction-event.codec';

const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');
const SMT1 = '0d01c928ab45d365595a34e87717fbb0008a19d22f052c9da1f988c47c57de3a';

/** Recorded: a mint of 1,000 tokens. */
const MINT = `
  00000000 01000000 1facc936932413b4153ef09ff2cd821a3d066afa5ff4f165bae608a462d49d51
  01000000 0915a35723794e8fb65d075b6b72699c38dd02e5948b75b0e5a0418e80975b44 0000000000000000 00
    01 0200000000000000 4b000000
    15c8b853d40e095a1e48936ee76b904c74d990dfa31a1e46e55ab248bcd4768f
    c81744ae00053ff16d89c10f5ea0aef29fb8ba3bf771eda5df9a76819b02189c e803000000000000 00 00 00
    2faf47e5718eea84093d1aa2758a07ca15fdb3d93b878f2888396419f875579b 00
  01000000 00000000
  01000000 ${SMT1} 0100000000000000
  00 00 00
  01000000 ${SMT1} 00`;

describe('decodePublicTransactionEvent', () => {
  it('reads a recorded mint', () => {
    const event = decodePublicTransactionEvent(bytes(MINT));
    expect(event).toMatchObject({ kind: 'transition', format: 1, inputs: [], newAddresses: [] });
    expect(event.sequenceNumbers).toEqual([{ tree: bytes(SMT1), seq: 1n }]);
    const [{ hash, leafIndex, treeAccount, body, ataOwner }] = event.outputs;
    expect([toBase58(hash), leafIndex, treeAccount, ataOwner]).toEqual([
      '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ',
      0,
      bytes(SMT1),
      null,
    ]);
    expect(body && toBase58(body.owner)).toBe('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m');
    expect(body?.data?.bytes).toHaveLength(75);
  });

  it('reads the current form, with the wallets of associated token accounts', () => {
    const wallet = '77'.repeat(32);
    expect(decodePublicTransactionEvent(bytes(`${MINT} 01000000 00 ${wallet}`)).outputs[0].ataOwner).toEqual(
      bytes(wallet),
    );
    expect(decodePublicTransactionEvent(bytes(`${MINT} 00000000`)).outputs[0].ataOwner).toBeNull();
  });

  it('reads a payload with other trailing bytes as the older form', () => {
    const wallet = '77'.repeat(32);
    const trailing = decodePublicTransactionEvent(bytes(`${MINT} 01000000 00 ${wallet} ff`));
    expect(trailing).toEqual(decodePublicTransactionEvent(bytes(MINT)));
  });

  it.each([
    ['an output without its hash', MINT.replace(/01000000 1facc.*\n/, '00000000\n')],
    ['a tree index that is out of range', MINT.replace('579b 00', '579b 01')],
    ['an empty payload', ''],
    ['a truncated payload', MINT.slice(0, 400)],
  ])('rejects %s', (_, payload) => {
    expect(payload).not.toBe(MINT);
    expect(() => decodePublicTransactionEvent(bytes(payload))).toThrow(MalformedBytesError);
  });
});
