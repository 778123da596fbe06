import { type Hash, parsePubkey, type Pubkey, ZERO_HASH } from '@fresnel/domain/primitives';
import { MAX_ADDRESS } from '@fresnel/domain/trees';
import { type BatchEvent, encodeAddressesInserted, encodeBatchEvent, encodeLeavesNullified } from './tree-events';

const compact = (hex: string) => hex.replace(/\s/g, '');
const hash = (hex: string) => Buffer.from(hex, 'hex') as Hash;

describe('encodeLeavesNullified', () => {
  it('writes a recorded nullification', () => {
    const tree = parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT');
    expect(encodeLeavesNullified(tree, [1], 5n).toString('hex')).toBe(
      compact(
        '01 0d01c928ab45d365595a34e87717fbb0008a19d22f052c9da1f988c47c57de3a 01000000 0100000000000000 0500000000000000',
      ),
    );
  });
});

describe('encodeAddressesInserted', () => {
  it('writes a recorded insertion', () => {
    const tree = parsePubkey('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');
    const value = hash('00c7e7ad94dceb5bf71516d136f29eb668525eadb903253a18cd6228263d9ac2');
    const update = {
      low: { value: ZERO_HASH, nextIndex: 2, nextValue: value, index: 0 },
      lowHash: hash('0c12154ce27d19e9e934645242fe2956a6697c34e99f14e2c8f71423d84f0176'),
      high: { value, nextIndex: 1, nextValue: MAX_ADDRESS, index: 2 },
      highHash: hash('0d36ea341d5e377b359d21e32b286e0661bb9189218a8f6feff859809be52914'),
    };
    expect(encodeAddressesInserted(tree, [update], 4n).toString('hex')).toBe(
      compact(`
        02 08a6e975e71225e3e8015ac70aff6e78b0bdd882e4922a7e83860f3781e8654f 01000000
           0000000000000000000000000000000000000000000000000000000000000000 0200000000000000
           00c7e7ad94dceb5bf71516d136f29eb668525eadb903253a18cd6228263d9ac2 0000000000000000
           0c12154ce27d19e9e934645242fe2956a6697c34e99f14e2c8f71423d84f0176
           00c7e7ad94dceb5bf71516d136f29eb668525eadb903253a18cd6228263d9ac2 0100000000000000
           00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff 0200000000000000
           0d36ea341d5e377b359d21e32b286e0661bb9189218a8f6feff859809be52914
           0400000000000000`),
    );
  });
});

const STATE_TREE = hash('f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe') as Buffer as Pubkey;
const QUEUE = hash('4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db') as Buffer as Pubkey;
const ADDRESS_TREE = parsePubkey('EzKE84aVTkCUhDHLELqyJaq1Y7UVVmqxXqZjVHwHY3rK');

const append: BatchEvent = {
  kind: 'outputs-appended',
  tree: STATE_TREE,
  batchIndex: 0,
  zkpBatchIndex: 0,
  zkpBatchSize: 10,
  oldNextIndex: 0,
  newNextIndex: 10,
  newRoot: hash('1304da4f7e8e57802895a79c934e0d009a5122a86eff814702b35bfa527633c3'),
  rootIndex: 1,
  seq: 1n,
  outputQueue: QUEUE,
};
const nullify: BatchEvent = {
  ...append,
  kind: 'inputs-nullified',
  newRoot: hash('083b0dc100ff680dc1599bc668dbbca45fafe5bc4e6a176e1a335a9a27d32fd8'),
  rootIndex: 11,
  seq: 11n,
  outputQueue: null,
};
const addresses: BatchEvent = {
  ...append,
  kind: 'addresses-appended',
  tree: ADDRESS_TREE,
  oldNextIndex: 1,
  newNextIndex: 11,
  newRoot: hash('226aec5af8160896a8028b6298b4aab7c2f26c767a9a7efc7a04ec9006476dd6'),
  outputQueue: null,
};

describe('encodeBatchEvent', () => {
  it.each([
    [
      'append',
      append,
      `03 f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe 0000000000000000 0000000000000000
       0a00000000000000 0000000000000000 0a00000000000000
       1304da4f7e8e57802895a79c934e0d009a5122a86eff814702b35bfa527633c3 01000000 0100000000000000
       01 4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db`,
    ],
    [
      'nullification',
      nullify,
      `04 f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe 0000000000000000 0000000000000000
       0a00000000000000 0000000000000000 0a00000000000000
       083b0dc100ff680dc1599bc668dbbca45fafe5bc4e6a176e1a335a9a27d32fd8 0b000000 0b00000000000000 00`,
    ],
    [
      'address append',
      addresses,
      `05 cfd6a506982e3c8176201b80444947fa0653b0c7998ced0b37ed03b3f28a250c 0000000000000000 0000000000000000
       0a00000000000000 0100000000000000 0b00000000000000
       226aec5af8160896a8028b6298b4aab7c2f26c767a9a7efc7a04ec9006476dd6 01000000 0100000000000000 00`,
    ],
  ])('writes a recorded batch %s', (_, event, expected) => {
    expect(encodeBatchEvent(event).toString('hex')).toBe(compact(expected));
  });
});
