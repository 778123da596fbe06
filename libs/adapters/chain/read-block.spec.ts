import { MalformedBlockError } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { readBlockText, type BlockRules } from './read-block';

const { accountCompression } = GENERATED_PROGRAMS;
const [{ slot, json }] = generateLedger({ seed: 41, slots: 1, transactionsPerSlot: 9 });

const RULES: BlockRules = { slot: null, accountCompression, signaturesFrom: 0 };

describe('readBlockText', () => {
  it('keeps the transactions that may involve compression, with their index', () => {
    const all = readBlockText(json, { ...RULES, accountCompression: null });
    const kept = readBlockText(json, RULES);
    expect(all?.transactions).toHaveLength(all?.transactionCount ?? 0);
    expect(kept?.transactions.length).toBeLessThan(all?.transactions.length ?? 0);
    expect(all?.transactions).toEqual(expect.arrayContaining(kept?.transactions ?? []));
    expect(kept).toEqual({ ...all, transactions: kept?.transactions });
  });

  it('reads signatures from a slot on', () => {
    const block = readBlockText(json, RULES);
    expect(block?.signatures).toHaveLength(block?.transactionCount ?? 0);
    const without = readBlockText(json, { ...RULES, signaturesFrom: slot + 1 });
    expect(without).toEqual({ ...block, signatures: null });
  });

  it('takes the slot of the request if there is one, and reads nothing from null', () => {
    expect(readBlockText(json, { ...RULES, slot: toSlot(slot) })).toEqual(readBlockText(json, RULES));
    expect(readBlockText('null', RULES)).toBeNull();
  });

  it.each([
    ['is truncated', json.slice(0, -1)],
    ['has no transactions', json.replace('"transactions"', '"others"')],
    ['ends with another value', `${json}{}`],
  ])('throws for a text that %s', (_, text) => {
    expect(() => readBlockText(text, RULES)).toThrow(MalformedBlockError);
  });
});
