import { type Hash, parsePubkey } from '@fresnel/domain/primitives';
import { encodePublicTransactionEvent, type PublicTransactionEvent } from './public-transaction-event';

const compact = (hex: string) => hex.replace(/\s/g, '');
const hash = (hex: string) => Buffer.from(hex, 'hex') as Hash;
const SMT1 = parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT');
const TOKEN_DATA = `15c8b853d40e095a1e48936ee76b904c74d990dfa31a1e46e55ab248bcd4768f
  c81744ae00053ff16d89c10f5ea0aef29fb8ba3bf771eda5df9a76819b02189c e803000000000000 00 00 00`;
const LEAF = '1facc936932413b4153ef09ff2cd821a3d066afa5ff4f165bae608a462d49d51';
const DATA_HASH = '2faf47e5718eea84093d1aa2758a07ca15fdb3d93b878f2888396419f875579b';

const mint: PublicTransactionEvent = {
  inputHashes: [],
  outputHashes: [hash(LEAF)],
  outputs: [
    {
      account: {
        owner: parsePubkey('cTokenmWW8bLPjZEBAUgYy3zKxQZW6VKi7bqNFEVv3m'),
        lamports: 0n,
        address: null,
        data: {
          discriminator: hash('0200000000000000'),
          bytes: hash(compact(TOKEN_DATA)),
          dataHash: hash(DATA_HASH),
        },
      },
      treeIndex: 0,
    },
  ],
  leafIndices: [0],
  sequenceNumbers: [{ tree: SMT1, seq: 1n }],
  isCompress: false,
  lamports: null,
  pubkeys: [SMT1],
  message: null,
  ataOwners: null,
};

const RECORDED = compact(`
  00000000 01000000 ${LEAF} 01000000
  0915a35723794e8fb65d075b6b72699c38dd02e5948b75b0e5a0418e80975b44 0000000000000000 00
  01 0200000000000000 4b000000 ${TOKEN_DATA}
  ${DATA_HASH} 00
  01000000 00000000
  01000000 0d01c928ab45d365595a34e87717fbb0008a19d22f052c9da1f988c47c57de3a 0100000000000000
  00 00 00
  01000000 0d01c928ab45d365595a34e87717fbb0008a19d22f052c9da1f988c47c57de3a 00`);

describe('encodePublicTransactionEvent', () => {
  it('writes a recorded token mint', () => {
    const encoded = encodePublicTransactionEvent(mint);
    expect(encoded).toHaveLength(298);
    expect(encoded.toString('hex')).toBe(RECORDED);
  });

  it('appends the owners of associated token accounts in the newer format', () => {
    const encoded = encodePublicTransactionEvent({ ...mint, ataOwners: [{ outputIndex: 0, wallet: SMT1 }] });
    expect(encoded.toString('hex')).toBe(`${RECORDED}0100000000${SMT1.toString('hex')}`);
  });
});
