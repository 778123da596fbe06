import { MalformedBytesError } from '@fresnel/domain/primitives';
import {
  AddressLookupTableAccount,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import fc from 'fast-check';
import { decodeTransaction } from './transaction.codec';

const key = (seed: number) => new PublicKey(Buffer.alloc(32, seed));
const BLOCKHASH = PublicKey.default.toBase58();

/** Instructions of a few programs with different numbers of accounts and sizes of data. */
const instructions = fc.array(
  fc.record({
    program: fc.integer({ min: 100, max: 103 }),
    accounts: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 12 }),
    data: fc.uint8Array({ maxLength: 200 }),
  }),
  { maxLength: 6 },
);

function messageOf(list: { program: number; accounts: number[]; data: Uint8Array }[]): TransactionMessage {
  return new TransactionMessage({
    payerKey: key(1),
    recentBlockhash: BLOCKHASH,
    instructions: list.map(
      ({ program, accounts, data }) =>
        new TransactionInstruction({
          programId: key(program),
          keys: accounts.map((account) => ({ pubkey: key(account), isSigner: false, isWritable: account % 2 === 0 })),
          data: Buffer.from(data),
        }),
    ),
  });
}

function expectAgreement(transaction: VersionedTransaction): void {
  const { message } = transaction;
  const decoded = decodeTransaction(Buffer.from(transaction.serialize()));
  expect(decoded.version).toBe(message.version);
  expect(decoded.signature.equals(transaction.signatures[0])).toBe(true);
  expect(decoded.staticKeys.map((staticKey) => new PublicKey(staticKey).toBase58())).toEqual(
    message.staticAccountKeys.map((staticKey) => staticKey.toBase58()),
  );
  expect(decoded.lookedUpKeys).toBe('numAccountKeysFromLookups' in message ? message.numAccountKeysFromLookups : 0);
  expect(decoded.instructions).toEqual(
    message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIndex: programIdIndex,
      accountIndices: Buffer.from(accountKeyIndexes),
      data: Buffer.from(data),
    })),
  );
}

describe('decodeTransaction', () => {
  it('agrees with the Solana library on legacy transactions', () => {
    fc.assert(
      fc.property(instructions, (list) => {
        expectAgreement(new VersionedTransaction(messageOf(list).compileToLegacyMessage()));
      }),
    );
  });

  it('agrees with the Solana library on version 0, with lookup tables', () => {
    const state = { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0 };
    const table = new AddressLookupTableAccount({
      key: key(200),
      state: { ...state, addresses: [5, 6, 7, 8, 9, 10].map(key) },
    });
    fc.assert(
      fc.property(instructions, (list) => {
        expectAgreement(new VersionedTransaction(messageOf(list).compileToV0Message([table])));
      }),
    );
  });

  it('decodes version 1: no lookups, config values, signatures at the end', () => {
    const keys = [1, 2, 3].map((seed) => Buffer.alloc(32, seed));
    const signatures = [Buffer.alloc(64, 0xaa), Buffer.alloc(64, 0xbb)];
    const wire = Buffer.concat([
      Buffer.from([0x81, 2, 0, 1]),
      Buffer.from('05000080', 'hex'), // three config values
      Buffer.alloc(32, 9),
      Buffer.from([2, keys.length]),
      ...keys,
      Buffer.alloc(12, 7),
      Buffer.from([2, 1, 3, 0]),
      Buffer.from([1, 0, 0, 1]),
      Buffer.from([0, 0xd1, 0xd2, 0xd3]),
      Buffer.alloc(256, 0xee),
      ...signatures,
    ]);
    expect(decodeTransaction(wire)).toEqual({
      version: 1,
      signature: signatures[0],
      staticKeys: keys,
      instructions: [
        { programIndex: 2, accountIndices: Buffer.from([0]), data: Buffer.from('d1d2d3', 'hex') },
        { programIndex: 1, accountIndices: Buffer.alloc(0), data: Buffer.alloc(256, 0xee) },
      ],
      lookedUpKeys: 0,
    });
  });

  it('decodes version 1 with more keys than the older versions can have', () => {
    const keys = Array.from({ length: 96 }, (_, seed) => Buffer.alloc(32, seed));
    const wire = Buffer.concat([
      Buffer.from([0x81, 1, 0, 1, 0, 0, 0, 0]),
      Buffer.alloc(32, 9),
      Buffer.from([1, keys.length]),
      ...keys,
      Buffer.from([95, 2, 1, 0]),
      Buffer.from([64, 94, 0xd1]),
      Buffer.alloc(64, 0xaa),
    ]);
    const instruction = { programIndex: 95, accountIndices: Buffer.from([64, 94]), data: Buffer.from([0xd1]) };
    expect(decodeTransaction(wire)).toMatchObject({ version: 1, staticKeys: keys, instructions: [instruction] });
  });

  it('rejects truncated transactions of any version', () => {
    const whole = Buffer.from(new VersionedTransaction(messageOf([]).compileToV0Message()).serialize());
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeTransaction(whole.subarray(0, length))).toThrow(MalformedBytesError);
    }
    expect(() => decodeTransaction(Buffer.from([0x81, 1]))).toThrow(MalformedBytesError);
  });

  it('rejects unknown versions, and transactions without signatures', () => {
    const version2 = Buffer.concat([Buffer.from([1]), Buffer.alloc(64), Buffer.from([0x82])]);
    expect(() => decodeTransaction(version2)).toThrow('version 2');
    expect(() => decodeTransaction(Buffer.from([0]))).toThrow('without signatures');
  });
});
