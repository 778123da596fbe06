import { encodeBase58, toBase58 } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { type ExecutedTransaction, writeExecutedTransaction } from './executed-transaction.codec';
import { groupInstructions } from './instruction-groups';
import { isUnreadable, TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';
import { hasFailed, parseRawTransaction, wireOf } from './raw-transaction';
import { decodeTransaction } from './transaction.codec';
import { parseTransactionMeta } from './transaction-meta';

const parser = new TransactionParser(LIVE_PROGRAMS);
const weights = { migrateLeaves: 5, truncatedInstruction: 2 };
const TEXTS = [...generateLedger({ seed: 17, slots: 120, weights })].flatMap(({ facts }) =>
  facts.transactions.map(({ members }) => `{${members}}`),
);

function toExecuted(json: string): ExecutedTransaction {
  const raw = parseRawTransaction(json);
  const transaction = decodeTransaction(wireOf(raw) ?? Buffer.alloc(0));
  const groups = groupInstructions(transaction, parseTransactionMeta(raw.meta));
  const instructions = groups.flat().map(({ programId, accounts, data, stackHeight }) => ({
    programId: toBase58(programId),
    accounts: accounts.map(toBase58),
    data: encodeBase58(data),
    stackHeight: stackHeight ?? 0,
  }));
  return { signature: transaction.signature, instructions };
}

describe('a transaction without its bytes', () => {
  it('has the events and problems of the same transaction with bytes, whatever the version', () => {
    const succeeded = TEXTS.filter((json) => !hasFailed(parseRawTransaction(json)));
    const kinds = new Set<string>();
    for (const json of succeeded) {
      const expected = parser.parse(json);
      expect(parser.parse(writeExecutedTransaction(toExecuted(json)))).toEqual(expected);
      for (const { kind } of expected?.events ?? []) kinds.add(kind);
    }
    expect([...kinds].sort()).toEqual([
      ...['addresses-inserted', 'batch-address-append', 'batch-append', 'batch-nullify'],
      ...['leaf-migrated', 'leaves-nullified', 'transition'],
    ]);
  });

  const [text] = TEXTS.filter((json) => (parser.parse(json)?.events.length ?? 0) > 0);
  const whole = toExecuted(text);
  const { signature } = whole;
  const [first, ...others] = whole.instructions ?? [];
  const edit = (change: object) => {
    const { executed } = JSON.parse(writeExecutedTransaction(whole));
    return JSON.stringify({ executed: { ...executed, ...change } });
  };

  it.each([
    ['lacks instructions', writeExecutedTransaction({ signature, instructions: null }), 'not all instructions'],
    [
      'starts with a called instruction',
      writeExecutedTransaction({ signature, instructions: [{ ...first, stackHeight: 2 }, ...others] }),
      'an instruction without the one that called it',
    ],
    [
      'has no stack heights',
      writeExecutedTransaction(whole).replaceAll(/,"stackHeight":\d+/g, ''),
      'an instruction without the one that called it',
    ],
    ['lacks keys', edit({ accountKeys: [] }), 'account 0 of 0'],
    ['has no list of keys', edit({ accountKeys: null }), 'accountKeys is not an array'],
    ['has a key that is none', edit({ accountKeys: ['0'] }), /base58|bytes/],
  ])('is unreadable as a whole if it %s', (_, json, reason) => {
    const parsed = parser.parse(json);
    expect(parsed).toMatchObject({ signature, events: [], problems: [expect.stringMatching(reason)] });
    expect(parsed?.problems.every(isUnreadable)).toBe(true);
  });

  it.each(['null', '7', '{}', '{"signature":"x"}'])('of another form has no signature: %s', (executed) => {
    const parsed = parser.parse(`{"executed":${executed}}`);
    expect(parsed).toMatchObject({ signature: null, problems: [expect.stringMatching(/^transaction: /)] });
  });
});
