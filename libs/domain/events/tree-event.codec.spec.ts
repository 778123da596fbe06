import { MalformedBytesError, toBase58 } from '@fresnel/domain/primitives';
import { decodeTreeEvent } from './tree-event.codec';

const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');
const HLKS = 'f2ae5ae5f43ce10acfc4c988c0233a0995d72895f409b8d171ea655be3f329fe';
const OUTPUT_QUEUE = '4f2fc2d05afc2b12d84c297108a17112bccacf737deb976ea7a6f94e4bdd26db';
const EZKE = 'cfd6a506982e3c8176201b80444947fa0653b0c7998ced0b37ed03b3f28a250c';

/** Recorded payloads. */
const NULLIFIED =
  '01 0d01c928ab45d365595a34e87717fbb0008a19d22f052c9da1f988c47c57de3a 01000000 0100000000000000 0500000000000000';
const INSERTED = `
  02 08a6e975e71225e3e8015ac70aff6e78b0bdd882e4922a7e83860f3781e8654f 01000000
  ${'00'.repeat(32)} 0200000000000000 00c7e7ad94dceb5bf71516d136f29eb668525eadb903253a18cd6228263d9ac2 0000000000000000
  0c12154ce27d19e9e934645242fe2956a6697c34e99f14e2c8f71423d84f0176
  00c7e7ad94dceb5bf71516d136f29eb668525eadb903253a18cd6228263d9ac2 0100000000000000 00${'ff'.repeat(31)} 0200000000000000
  0d36ea341d5e377b359d21e32b286e0661bb9189218a8f6feff859809be52914
  0400000000000000`;
const APPENDED = `03 ${HLKS} 0000000000000000 0000000000000000 0a00000000000000 0000000000000000 0a00000000000000
  1304da4f7e8e57802895a79c934e0d009a5122a86eff814702b35bfa527633c3 01000000 0100000000000000 01 ${OUTPUT_QUEUE}`;
const BATCH_NULLIFIED = `04 ${HLKS} 0000000000000000 0000000000000000 0a00000000000000 0000000000000000 0a00000000000000
  083b0dc100ff680dc1599bc668dbbca45fafe5bc4e6a176e1a335a9a27d32fd8 0b000000 0b00000000000000 00`;
const ADDRESSES_APPENDED = `05 ${EZKE} 0000000000000000 0000000000000000 0a00000000000000 0100000000000000 0b00000000000000
  226aec5af8160896a8028b6298b4aab7c2f26c767a9a7efc7a04ec9006476dd6 01000000 0100000000000000 00`;

describe('decodeTreeEvent', () => {
  it('reads nullified leaves', () => {
    expect(decodeTreeEvent(bytes(NULLIFIED))).toMatchObject({ kind: 'leaves-nullified', leafIndices: [1n], seq: 5n });
  });

  it('reads inserted addresses', () => {
    const event = decodeTreeEvent(bytes(INSERTED));
    expect(event).toMatchObject({ kind: 'addresses-inserted', seq: 4n });
    if (event?.kind !== 'addresses-inserted') throw new Error('another kind');
    expect(toBase58(event.tree)).toBe('amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2');
    const [{ low, high }] = event.updates;
    expect([low.index, low.nextIndex, high.index, high.nextIndex]).toEqual([0, 2, 2, 1]);
    expect(low.nextValue).toEqual(high.value);
  });

  it.each([
    [
      'batch-append',
      APPENDED,
      { oldNextIndex: 0n, newNextIndex: 10n, rootIndex: 1, seq: 1n, outputQueue: bytes(OUTPUT_QUEUE) },
    ],
    [
      'batch-nullify',
      BATCH_NULLIFIED,
      { oldNextIndex: 0n, newNextIndex: 10n, rootIndex: 11, seq: 11n, outputQueue: null },
    ],
    [
      'batch-address-append',
      ADDRESSES_APPENDED,
      { oldNextIndex: 1n, newNextIndex: 11n, rootIndex: 1, seq: 1n, outputQueue: null },
    ],
  ])('reads a %s', (kind, payload, expected) => {
    expect(decodeTreeEvent(bytes(payload))).toMatchObject({ kind, zkpBatchSize: 10n, ...expected });
  });

  it('ignores bytes after the event, and returns null for other tags', () => {
    expect(decodeTreeEvent(bytes(`${NULLIFIED} ffff`))).toEqual(decodeTreeEvent(bytes(NULLIFIED)));
    expect(decodeTreeEvent(bytes('00'))).toBeNull();
    expect(decodeTreeEvent(bytes('06'))).toBeNull();
  });

  it.each([
    ['nothing', ''],
    [
      'a batch whose end is before its start',
      APPENDED.replace('0000000000000000 0a00000000000000\n', '0b00000000000000 0a00000000000000\n'),
    ],
    ['a leaf index above the maximum', INSERTED.replace('0200000000000000 00c7', '0200000000010000 00c7')],
    ['more leaves than bytes', NULLIFIED.replace('01000000', 'ffffffff')],
  ])('rejects %s', (_, payload) => {
    expect(() => decodeTreeEvent(bytes(payload))).toThrow(MalformedBytesError);
  });
});
