import { createHash } from 'node:crypto';
import { encodeBase58 } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { anyCharacter } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import fc from 'fast-check';
import { decodeTransactionJson, encodeTransactionJson } from './transaction-json.codec';
import { TRANSACTION_JSON_DICTIONARY } from './transaction-json.dictionary';

const restored = (json: string, known: readonly Buffer[] = []) =>
  decodeTransactionJson(encodeTransactionJson(json, known), known);

const BASE64 = Buffer.alloc(10, 7).toString('base64');

describe('the codec of transaction JSON', () => {
  const transactions = readGeneratedSlots([...generateLedger({ seed: 3, slots: 40 })]).flatMap(
    (slot) => slot.transactions,
  );

  it('restores generated transactions, in less than 45 % of their size', () => {
    expect(transactions.length).toBeGreaterThan(100);
    const sizes = { text: 0, stored: 0 };
    for (const { json } of transactions) {
      expect(restored(json)).toBe(json);
      sizes.text += json.length;
      sizes.stored += encodeTransactionJson(json, []).length;
    }
    expect(sizes.stored / sizes.text).toBeLessThan(0.45);
  });

  it('stores a known signature in a few bytes', () => {
    for (const { json, signature } of transactions) {
      expect(restored(json, [signature])).toBe(json);
      const [without, withKnown] = [encodeTransactionJson(json, []), encodeTransactionJson(json, [signature])];
      expect(without.length - withKnown.length).toBeGreaterThan(50);
    }
  });

  it('restores texts with more known bytes than DEFLATE looks back', () => {
    const known = Array.from({ length: 2_000 }, (_, at) => createHash('sha256').update(`${at}`).digest());
    const json = `"data":"${encodeBase58(Buffer.concat([known[3], known[1_999]]))}"`;
    expect(restored(json, known)).toBe(json);
  });

  it.each([
    ['an empty text', ''],
    ['no JSON', '{"data":"'],
    ['spaces, exponents and long numbers', '{ "fee" : 5000.0, "x":1e3,"y":18446744073709551615 }'],
    ['text outside ASCII', '{"logMessages":["Program log: ✓ \\u0001 é 😀"]}'],
    ['control characters, which no JSON contains', '"data":"11111111111" \u0001\u0002 "data":"22222222222"'],
    ['leading zeros', '"data":"11111111111111112"'],
    ['instruction data that is not base58', '"data":"0OIl0OIl0OIl0OIl"'],
    ['base64 without padding', `"transaction":["${BASE64.replace('==', '')}","base64"]`],
    ['base64 with bits that no byte contains', `"transaction":["${BASE64.replace('w==', 'x==')}","base64"]`],
    ['return data', `"returnData":{"data":["${BASE64}","base64"],"programId":"x"}`],
    ['another encoding', '"transaction":["3Bxs4PckVVt51W8w","base58"]'],
  ])('restores %s', (_, json) => {
    expect(restored(json)).toBe(json);
  });

  it('restores any text with any encoded strings', () => {
    const part = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => `"data":"${encodeBase58(bytes)}"`),
      fc.uint8Array({ maxLength: 1_300 }).map((bytes) => `["${Buffer.from(bytes).toString('base64')}","base64"]`),
      fc.stringMatching(/^"data":"[0-9A-Za-z+/=]{0,40}"$/),
    );
    const known = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), known, (parts, known) => {
        const json = parts.join('');
        expect(
          restored(
            json,
            known.map((bytes) => Buffer.from(bytes)),
          ),
        ).toBe(json);
      }),
    );
  });

  it('has a dictionary that never changes', () => {
    expect(TRANSACTION_JSON_DICTIONARY.length).toBeLessThanOrEqual(32_768);
    expect(createHash('sha256').update(TRANSACTION_JSON_DICTIONARY).digest('hex')).toBe(
      '1a0562c563e0ccf8e87f153142626c955887283719091658bcd460e58cbeb044',
    );
  });

  it('reads what any compressor of DEFLATE has written', () => {
    // One block with fixed codes, which zlib does not choose for this text.
    const stored = '016362e06160626060e8108674d0b918d8e10056719b23ea64a43a177b45072fc0c1ad063cf57c2d00';
    const json = `{"slot":7,"meta":{"fee":5000,"innerInstructions":[{"data":"3Bxs4PckVVt51W8w"}]},"transaction":["${BASE64}","base64"]}`;
    expect(decodeTransactionJson(Buffer.from(stored, 'hex'), [Buffer.alloc(64, 3)])).toBe(json);
  });

  it('rejects bytes in another format', () => {
    expect(() => decodeTransactionJson(Buffer.from('{}'), [])).toThrow('stored in the unknown format 123');
    expect(() => decodeTransactionJson(Buffer.alloc(0), [])).toThrow('stored in the unknown format undefined');
  });
});
