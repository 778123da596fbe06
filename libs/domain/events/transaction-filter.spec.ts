import { toBase58, toPubkey } from '@fresnel/domain/primitives';
import fc from 'fast-check';
import { TransactionFilter } from './transaction-filter';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const key = bytes(32).map((value) => toPubkey(Buffer.from(value)));

/** An element of a `getBlock` result. */
const entry = (wire: Uint8Array, writable: string[] = []) =>
  JSON.stringify({
    transaction: [Buffer.from(wire).toString('base64'), 'base64'],
    meta: { err: null, loadedAddresses: { writable, readonly: [] } },
  });

describe('TransactionFilter', () => {
  it('leaves out a malformed transaction that does not contain the key', () => {
    const transaction = [Buffer.alloc(100).toString('base64'), 'base64'];
    const json = JSON.stringify({ transaction, meta: { err: null } });
    expect(new TransactionFilter(toPubkey(Buffer.alloc(32, 1))).mayName(json)).toBe(false);
  });

  it('finds a key at any offset of the transaction', () => {
    fc.assert(
      fc.property(key, fc.uint8Array({ maxLength: 70 }), fc.uint8Array({ maxLength: 70 }), (named, before, after) => {
        expect(new TransactionFilter(named).mayName(entry(Buffer.concat([before, named, after])))).toBe(true);
      }),
    );
  });

  it('finds a key from a lookup table', () => {
    fc.assert(
      fc.property(key, bytes(80), (named, wire) => {
        expect(new TransactionFilter(named).mayName(entry(wire, [toBase58(named)]))).toBe(true);
      }),
    );
  });

  it('finds no other key', () => {
    fc.assert(
      fc.property(key, bytes(200), key, (named, wire, other) => {
        fc.pre(!named.equals(other) && !Buffer.from(wire).includes(named.subarray(2, 30)));
        expect(new TransactionFilter(named).mayName(entry(wire, [toBase58(other)]))).toBe(false);
      }),
    );
  });

  it('does not search logs, which may contain any text', () => {
    fc.assert(
      fc.property(key, bytes(80), (named, wire) => {
        const log = `Program log: ${toBase58(named)} "loadedAddresses":{"writable":["${toBase58(named)}"]}`;
        const json = entry(wire).replace('"err":null', `"err":null,"logMessages":[${JSON.stringify(log)}]`);
        expect(new TransactionFilter(named).mayName(json)).toBe(false);
      }),
    );
  });

  it('searches the whole text for a key from a lookup table if it does not find the loaded keys', () => {
    const named = toPubkey(Buffer.alloc(32, 1));
    const json = entry(Buffer.alloc(80), [toBase58(named)]).replace('"loadedAddresses":', '"loadedAddresses": ');
    expect(new TransactionFilter(named).mayName(json)).toBe(true);
  });

  it.each([
    ['without meta', '{"transaction":["AAAA","base64"]}'],
    ['with meta null', '{"transaction":["AAAA","base64"],"meta":null}'],
    ['in another encoding', '{"transaction":["1111","base58"],"meta":{}}'],
    [
      'in another encoding, with returned data in base64',
      '{"transaction":["1111","base58"],"meta":{"returnData":{"data":["","base64"]}}}',
    ],
    ['in parsed form', '{"transaction":{"message":{}},"meta":{}}'],
    ['with spaces', '{"transaction": ["AAAA", "base64"], "meta": {}}'],
    ['with an escaped slash', '{"transaction":["AA\\/A","base64"],"meta":{}}'],
    ['with an escaped letter', '{"transaction":["\\u0041AAA","base64"],"meta":{}}'],
  ])('lets a transaction %s pass, because it cannot be searched', (_, json) => {
    expect(new TransactionFilter(toPubkey(Buffer.alloc(32, 1))).mayName(json)).toBe(true);
  });
});
