import { type Hash, parseHash, toBase58 } from '@fresnel/domain/primitives';
import { type AddressTreeInfo, isAddressTree } from '@fresnel/domain/trees';
import { generatedTrees } from '../generated-trees';
import { AddressTree } from './address-tree';

const hash = (hex: string) => Buffer.from(hex, 'hex') as Hash;
const [v1, v2]: readonly AddressTreeInfo[] = generatedTrees().filter(isAddressTree);

/** The first ten addresses of a recorded V2 tree in the order of its queue. */
const RECORDED = [
  '000f8ee15579e49fa6a914b0e379661d1b9577881c1af1852c636ff8d293e7a9',
  '0028494b3f6e36495864ef3b37ba4c5447c7b9bb1732d9915d16d31cf8944a48',
  '00e388ecab42d87161e9a614001ecba7be44efbf193b737cdad3232ddc572017',
  '0031d425736797ea79e1984c97c9e63f3a5566e6423885d704925243e7d7d79f',
  '0003c362c2042675f28aea04fbe75714278f950a27d6d713889c63c54db2ea2b',
  '0017c063cae873e3e401d68e449ccae61f2aa04333d6d855582c6d6b1a524bd5',
  '0022d2e7a90826b27c3fb14c9e31f790374f133ffe2d4ad81406be87fe3bb4ca',
  '00c5f654daa0e692c68f92b9f9645c58b1ecc0719f0595af5603346b6ebb947a',
  '00e36e3357b7a775b3eff21206880fe63248a27acd7f10b089fe25e2f9c5cec3',
  '00ff94406a9934a0c106d72f70ddbc156d1cd736d94a069749230fd6ec939748',
].map(hash);

describe('an initial AddressTree', () => {
  it('of version 1 has the root and the sequence number of the chain', () => {
    const tree = new AddressTree(v1);
    expect(toBase58(tree.nodes.root())).toBe('3FrGzyXtjqjnukHDS2M5oyVj8tMVcHSahcHpWBGR5MHY');
    expect([tree.seq, tree.nextIndex]).toEqual([3n, 2]);
  });

  it('of version 2 has the root and the sequence number of the chain', () => {
    const tree = new AddressTree(v2);
    expect(toBase58(tree.nodes.root())).toBe('2uJGx1Up9Px37MGfTLg2kidGcRHP3vfcGm1rtEzQrChy');
    expect([tree.seq, tree.nextIndex]).toEqual([0n, 1]);
  });

  it('contains 0 and no address', () => {
    const tree = new AddressTree(v2);
    expect([hash('00'.repeat(32)), RECORDED[0]].map((address) => tree.has(address))).toEqual([true, false]);
  });
});

describe('AddressTree of version 2', () => {
  const tree = new AddressTree(v2);
  for (const address of RECORDED) tree.enqueue(address);
  const predicted = tree.rootAfter(tree.queue.slice(0, 10));
  const wereQueued = RECORDED.every((address) => tree.isQueued(address));
  tree.insert(RECORDED);

  it('computes the recorded root of a batch', () => {
    expect(tree.nodes.root().toString('hex')).toBe('226aec5af8160896a8028b6298b4aab7c2f26c767a9a7efc7a04ec9006476dd6');
    expect(predicted).toEqual(tree.nodes.root());
    expect([tree.seq, tree.nextIndex]).toEqual([1n, 11]);
  });

  it('removes the addresses from its queue and continues the numbering', () => {
    expect(wereQueued).toBe(true);
    expect(tree.queue).toEqual([]);
    expect(tree.queuePositionAfter(0)).toBe(10n);
  });

  it.each([
    ['11111111111111111111111111111112', 0, 5, '14L37rXAyvcSXe26936CT92NLvdib1fH6BATmZmnhtv'],
    ['12xCpkN3SvFMhr4VFkdiwxscdWHPMUYxHw9wkbezruLB', 4, 8, '1425a6ArktWjnqE4aT3WLBkKJy63PugBdi1SDg2HUvLZ'],
  ])('finds the low element of %s', (address, index, nextIndex, higher) => {
    const low = tree.lowElementOf(parseHash(address));
    expect([low.index, low.nextIndex, toBase58(low.nextValue)]).toEqual([index, nextIndex, higher]);
  });

  it('computes the recorded siblings of a proof', () => {
    expect(tree.nodes.proof(4).slice(0, 4).map(toBase58)).toEqual([
      '131MGh4qDGwH7ccHHQpR3yzEZFfjvJb9krUztXjeFHzE',
      'FR1wLZvch5hjveaCqxkqwu5iUWb1W4YBAPYWKCNMSfH',
      '2KLbZGLoFMpun35yZ2CaudcXpYWdwAmHingxZVsxQJ43',
      '3qq3EaytCxSLokDYiNrykMM3WFXF3mKZya8PzLKZTVcY',
    ]);
  });
});

describe('AddressTree of version 1', () => {
  it('computes the recorded elements and root of an insertion, and uses two sequence numbers', () => {
    const tree = new AddressTree(v1);
    const address = hash('00c7e7ad94dceb5bf71516d136f29eb668525eadb903253a18cd6228263d9ac2');
    const [insertion] = tree.insertionsOf([address]);
    expect(insertion.lowHash.toString('hex')).toBe('0c12154ce27d19e9e934645242fe2956a6697c34e99f14e2c8f71423d84f0176');
    expect(insertion.highHash.toString('hex')).toBe('0d36ea341d5e377b359d21e32b286e0661bb9189218a8f6feff859809be52914');
    tree.insert([address]);
    expect(toBase58(tree.nodes.root())).toBe('2RHRJrmNU2fLCBTr9gtxaz8F1o8vnVc6wdJEZyDSSQf9');
    expect(tree.seq).toBe(5n);
  });
});
