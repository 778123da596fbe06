import { generateLedger } from '@fresnel/ledger-generator';
import { readHistoryLedger } from '@fresnel/testing/history';
import { countInstructions } from './count-instructions';
import { writeExecutedTransaction } from './executed-transaction.codec';
import { parseSignature } from '@fresnel/domain/primitives';

describe('countInstructions', () => {
  const ledger = readHistoryLedger([...generateLedger({ seed: 5, slots: 20 })]);
  const transactions = ledger.flatMap((block) => block.transactions).filter(({ isFailed }) => !isFailed);

  it('gives the same number for both forms of a transaction', () => {
    expect(transactions.length).toBeGreaterThan(20);
    for (const { json, signature, instructions } of transactions) {
      const executed = instructions.map((each) => ({ ...each, stackHeight: each.path.length }));
      const text = (count: number) =>
        writeExecutedTransaction({ signature: parseSignature(signature), instructions: executed.slice(0, count) });
      expect(countInstructions(json)).toBe(instructions.length);
      expect(countInstructions(text(instructions.length))).toBe(instructions.length);
      expect(countInstructions(text(instructions.length - 1))).toBe(instructions.length - 1);
    }
  });

  it.each(['{}', '"text"', '{"transaction":["AAAA","base64"],"meta":null}', '{"executed":5}', 'no JSON'])(
    'gives 0 for %s, which cannot be decoded',
    (json) => {
      expect(countInstructions(json)).toBe(0);
    },
  );
});
