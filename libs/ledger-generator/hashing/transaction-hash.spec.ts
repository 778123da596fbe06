import { type Hash, parseHash, toBase58, toSlot } from '@fresnel/domain/primitives';
import { hashNullifier, hashTransaction } from './transaction-hash';

const filled = (byte: number) => Buffer.alloc(32, byte) as Hash;

describe('hashTransaction', () => {
  it.each([
    [[], [], 0, '22c8a4d0a4fe205a2056b31ef77cabc0d139351b1d133301e739a67331d0f48f'],
    [[1], [2], 1, '1a027d73b711b6dd5123542e5e56620120a94b4aa394ca16a33c2b39bcfdcb51'],
    [[1, 2], [3, 4], 2, '10caf97fe26f7ba6ff10a2e37a2bf78d518b4fb6d5fae1c9ebf11a4d75045b96'],
  ])('hashes inputs %j and outputs %j at slot %i like the chain', (inputs, outputs, slot, expected) => {
    const hash = hashTransaction(inputs.map(filled), outputs.map(filled), toSlot(slot));
    expect(hash.toString('hex')).toBe(expected);
  });
});

describe('a recorded transfer in a V2 tree', () => {
  const input = parseHash('31k1cBCZnCpF4jMjCeBEsWdFsjraJAXWXzkurB2C7Uzg');
  const output = parseHash('2GX8RsmXywnbe9MP71NuqhJppRCV1rdJGHsKeG4jew54');

  it('has the recorded transaction hash and nullifier', () => {
    const txHash = hashTransaction([input], [output], toSlot(85));
    expect(toBase58(txHash)).toBe('2WUZZ2KLpSA8Yum9BVZt3vK8nBb5nFRasiiWeqe7XfGv');
    expect(toBase58(hashNullifier(input, 0, txHash))).toBe('WCfuDcCWYGFTtq3WPs3JPAznQsvcsV1TW4A9rbRx1a8');
  });
});

describe('a recorded withdrawal from V1 and V2 trees at once', () => {
  const inputs = [
    '3RNiwDxYLtgKindoYiJH7rXzyqCE5Q9RdXenMvjE55ZT',
    '3fxqqyX4mmiPVojPAzoCa5AM2iGSwWWYA2xnftzfVQrh',
    '3kZ3X6T8i3EEGfpN1V99T9g46MTuE4PBxyE6rmTGU9dD',
    '1gM5jYaDcS4tc16fa3oDpcGqBhwmFxbTR6GyVHGNPUT',
  ].map(parseHash);

  it('hashes the inputs of both trees', () => {
    const txHash = hashTransaction(inputs, [], toSlot(407265372));
    expect(txHash.toString('hex')).toBe('2e5917621e5e8edd2ec7caffdf194d05115a39087f6a6ea8cb1a0c7a6c7d88ea');
    expect(toBase58(hashNullifier(inputs[0], 13, txHash))).toBe('31LPZQYznLr4awWZwNzbggutWKaE8H1wJb8fUDoKCYeX');
    expect(toBase58(hashNullifier(inputs[3], 5, txHash))).toBe('2fG5NQC6yRKeoNxMyReGaM5Nfwmj1eE872fXYbng7kAw');
  });
});
