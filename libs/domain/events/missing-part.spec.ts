import { generateLedger } from '@fresnel/ledger-generator';
import { encodeBase58 } from '@fresnel/domain/primitives';
import {
  AddressLookupTableAccount,
  Keypair,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { JsonCursor } from './json-cursor';
import { parseBlock } from './block.codec';
import { findMissingPart } from './missing-part';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';
import { TransactionFilter } from './transaction-filter';

interface Raw {
  transaction: [string, string];
  meta: Record<string, unknown>;
  version: unknown;
}

const LEDGER = [...generateLedger({ seed: 29, slots: 20 })];
const TEXTS = LEDGER.flatMap(({ json }) => (JSON.parse(json) as { transactions: Raw[] }).transactions);
const parser = new TransactionParser(LIVE_PROGRAMS);
const eventful = TEXTS.filter((raw) => (parser.parse(JSON.stringify(raw))?.events.length ?? 0) > 0)[0];
const withMeta = (changes: Record<string, unknown>) => ({ ...eventful, meta: { ...eventful.meta, ...changes } });
const without = (name: string) => ({
  ...eventful,
  meta: Object.fromEntries(Object.entries(eventful.meta).filter(([key]) => key !== name)),
});
const loaded = (seed: number) => keyOf(seed).toBase58();
const keyOf = (seed: number) => Keypair.fromSeed(Buffer.alloc(32, seed)).publicKey;

/** A transaction of version 0 with two keys from a lookup table, one of them the compression program. */
function withLookups(loadedAddresses: unknown): Raw {
  const program = encodeBase58(LIVE_PROGRAMS.accountCompression);
  const keys = [keyOf(5), keyOf(6)];
  const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 };
  const table = new AddressLookupTableAccount({ key: keyOf(9), state: { ...state, addresses: keys } });
  const accounts = keys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false }));
  const instruction = new TransactionInstruction({ programId: keyOf(7), keys: accounts, data: Buffer.alloc(4) });
  const message = new TransactionMessage({
    payerKey: keyOf(1),
    recentBlockhash: encodeBase58(Buffer.alloc(32, 3)),
    instructions: [instruction],
  }).compileToV0Message([table]);
  const wire = Buffer.from(new VersionedTransaction(message).serialize()).toString('base64');
  const meta = { err: null, innerInstructions: [], loadedAddresses, logMessages: [`Program ${program} invoke [1]`] };
  return { transaction: [wire, 'base64'], meta, version: 0 };
}

describe('the missing part of a transaction', () => {
  it('is none in generated blocks', () => {
    expect(TEXTS.map((raw) => findMissingPart(JSON.stringify(raw)))).toEqual(TEXTS.map(() => null));
    for (const { json } of LEDGER) expect(parseBlock(new JsonCursor(json))).not.toHaveProperty('missingPart');
  });

  const LACKING: [string, unknown, string][] = [
    ['whose meta is null', { ...eventful, meta: null }, 'no meta'],
    ['without meta', { transaction: eventful.transaction, version: eventful.version }, 'no meta'],
    ['without err', without('err'), 'no err'],
    ['whose inner instructions are null', withMeta({ innerInstructions: null }), 'no innerInstructions'],
    ['without inner instructions', without('innerInstructions'), 'no innerInstructions'],
    [
      'with inner instructions in parsed form',
      withMeta({ innerInstructions: [{ index: 0, instructions: [{ programId: '1', parsed: {} }] }] }),
      'programIdIndex is not an index',
    ],
    ['in base58', { ...eventful, transaction: ['111', 'base58'] }, 'not in base64'],
    ['in JSON', { ...eventful, transaction: { message: {} } }, 'not in base64'],
    ['with lookups, whose loaded keys are null', withLookups(null), '0 of 2 loadedAddresses'],
    ['with lookups, without loaded keys', withLookups(undefined), '0 of 2 loadedAddresses'],
    ['with lookups, with empty lists', withLookups({ writable: [], readonly: [] }), '0 of 2 loadedAddresses'],
    ['with lookups, with one of two lists', withLookups({ writable: [loaded(5)] }), '1 of 2 loadedAddresses'],
    [
      'with lookups, with one empty list',
      withLookups({ writable: [], readonly: [loaded(5)] }),
      '1 of 2 loadedAddresses',
    ],
    [
      'without inner instructions, which its logs have',
      withMeta({
        innerInstructions: [],
        logMessages: [`Program ${loaded(5)} invoke [1]`, `Program ${loaded(6)} invoke [2]`],
      }),
      'no innerInstructions, although the logs have some',
    ],
  ];

  it.each(LACKING)('is found in one %s', (_, raw, part) => {
    const json = JSON.stringify(raw);
    expect(findMissingPart(json)).toBe(part);
    expect(parser.parse(json)).toMatchObject({ events: [], problems: [`transaction: ${part}`] });
    const block = LEDGER[0].json.replace(/"transactions":\[.*\]/s, () => `"transactions":[${json}]`);
    expect(parseBlock(new JsonCursor(block)).missingPart).toBe(`transaction 0: ${part}`);
  });

  it('is none in a failed transaction, whatever the node has not recorded', () => {
    const failed = { err: 'InsufficientFundsForFee', fee: 0, innerInstructions: null, logMessages: null };
    for (const raw of [withMeta(failed), { ...eventful, meta: { err: 'AccountInUse' } }]) {
      expect(findMissingPart(JSON.stringify(raw))).toBeNull();
      expect(parser.parse(JSON.stringify(raw))).toBeNull();
    }
  });

  it('is none where only a program writes that there was a call', () => {
    const raw = withMeta({ innerInstructions: [], logMessages: [`Program log: Program ${loaded(6)} invoke [2]`] });
    expect(findMissingPart(JSON.stringify(raw))).toBeNull();
  });

  it('matters only if the transaction may name the program', () => {
    const filter = new TransactionFilter(LIVE_PROGRAMS.accountCompression);
    const [vote] = TEXTS.filter((raw) => !filter.mayName(JSON.stringify(raw)) && raw.version === 'legacy');
    expect(filter.mayName(JSON.stringify({ ...vote, meta: null }))).toBe(false);
    const keys = { writable: [], readonly: [loaded(5), loaded(6)] };
    expect(filter.mayName(JSON.stringify(withLookups(keys)))).toBe(false);
  });
});
