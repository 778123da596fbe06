import { parsePubkey, type Pubkey, SIGNATURE_BYTES, toHash, toSignature } from '@fresnel/domain/primitives';
import { VersionedTransaction } from '@solana/web3.js';
import { type Instruction, readonly, writable } from '../instructions/instruction';
import { GENERATED_PROGRAMS, SOLANA_PROGRAMS } from '../keys';
import { encodeTransaction, type TransactionVersion } from './encode-transaction';
import { LOOKUP_TABLES } from './lookup-tables';
import { messageKeys } from './message-keys';

const key = (byte: number) => Buffer.alloc(32, byte) as Buffer as Pubkey;
const [payer, cosigner, program, account] = [1, 2, 3, 4].map(key);
const tree = parsePubkey('smt1NamzXdq4AMqS2fS2F1i5KTYPZRhoHgWx38d8WsT');
const queue = parsePubkey('nfq1NvQDJ2GEgnS8zt9prAe8rjjpAW1zFkrvZoBR148');
const { accountCompression } = GENERATED_PROGRAMS;

const inner: Instruction = { program: accountCompression, accounts: [writable(tree)], data: Buffer.alloc(3), cpis: [] };
const instructions: Instruction[] = [
  { program, accounts: [writable(account), readonly(cosigner)], data: Buffer.from('outer'), cpis: [inner] },
  {
    program: SOLANA_PROGRAMS.system,
    accounts: [writable(payer), readonly(queue)],
    data: Buffer.alloc(200, 8),
    cpis: [],
  },
];
const draft = { signers: [payer, cosigner], instructions, events: [], isFailed: false };
const signatures = [5, 6].map((byte) => toSignature(Buffer.alloc(SIGNATURE_BYTES, byte)));
const recentBlockhash = toHash(Buffer.alloc(32, 7));

function encode(version: TransactionVersion, withLookups: boolean) {
  const keys = messageKeys(draft, withLookups);
  return { keys, wire: encodeTransaction({ signatures, recentBlockhash, instructions, keys }, version) };
}

describe.each([
  ['legacy', 'legacy', false],
  ['version 0 without lookups', 0, false],
  ['version 0 with lookups', 0, true],
] as const)('a %s transaction', (_, version, withLookups) => {
  const { keys, wire } = encode(version, withLookups);
  const decoded = VersionedTransaction.deserialize(wire);
  const { message } = decoded;

  it('decodes with its signatures, header and blockhash, to the last byte', () => {
    expect(message.version).toBe(version);
    expect(decoded.signatures.map((signature) => Buffer.from(signature))).toEqual(signatures);
    expect(Object.values(message.header)).toEqual([...keys.header]);
    expect(Buffer.from(decoded.serialize()).equals(wire)).toBe(true);
  });

  it('contains the accounts of its instructions', () => {
    const order = [
      ...message.staticAccountKeys.map((staticKey) => staticKey.toBuffer()),
      ...keys.loaded.writable,
      ...keys.loaded.readonly,
    ];
    const decodedInstructions = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      program: order[programIdIndex],
      accounts: accountKeyIndexes.map((index) => order[index]),
      data: Buffer.from(data),
    }));
    expect(decodedInstructions).toEqual(
      instructions.map((instruction) => ({
        program: Buffer.from(instruction.program),
        accounts: instruction.accounts.map((meta) => meta.key),
        data: instruction.data,
      })),
    );
  });

  it('marks as writable the accounts that instructions write', () => {
    const isWritable = (pubkey: Pubkey) => message.isAccountWritable(keys.positionOf(pubkey));
    expect([payer, account, tree].map(isWritable)).toEqual([true, true, true]);
    expect([cosigner, program, queue, accountCompression].map(isWritable)).toEqual([false, false, false, false]);
  });
});

describe('lookups', () => {
  const { keys, wire } = encode(0, true);
  const { message } = VersionedTransaction.deserialize(wire);

  it('load keys that are neither signers nor outer programs', () => {
    expect(keys.loaded).toEqual({ writable: [tree], readonly: [accountCompression, queue] });
    expect(keys.statics).toContain(SOLANA_PROGRAMS.system);
  });

  it('refer to the loaded keys in the tables', () => {
    const entriesOf = (tableKey: Buffer) => LOOKUP_TABLES.find((table) => table.key.equals(tableKey))?.entries ?? [];
    const found = message.addressTableLookups.flatMap(({ accountKey, readonlyIndexes }) =>
      readonlyIndexes.map((position) => entriesOf(accountKey.toBuffer())[position]),
    );
    expect(found).toEqual(keys.loaded.readonly);
  });
});

describe('a version 1 transaction', () => {
  const { keys, wire } = encode(1, false);

  it('has counts before the keys and signatures at the end', () => {
    const keysEnd = 42 + 32 * keys.statics.length;
    expect([...wire.subarray(0, 4)]).toEqual([0x81, ...keys.header]);
    expect(wire.readUInt32LE(4)).toBe(0b1100);
    expect(wire.subarray(8, 40).equals(recentBlockhash)).toBe(true);
    expect([...wire.subarray(40, 42)]).toEqual([instructions.length, keys.statics.length]);
    expect(wire.subarray(42, keysEnd).equals(Buffer.concat(keys.statics))).toBe(true);
    expect(wire.subarray(-2 * SIGNATURE_BYTES).equals(Buffer.concat(signatures))).toBe(true);
  });

  it('has the headers of all instructions, then their accounts and data', () => {
    const headersAt = 42 + 32 * keys.statics.length + 8;
    const [first, second] = [headersAt, headersAt + 4].map((at) => wire.subarray(at, at + 4));
    expect([...first]).toEqual([keys.positionOf(program), 2, 5, 0]);
    expect([...second]).toEqual([keys.positionOf(SOLANA_PROGRAMS.system), 2, 200, 0]);
    const payload = wire.subarray(headersAt + 8, -2 * SIGNATURE_BYTES);
    expect(payload.subarray(2, 7).toString()).toBe('outer');
    expect(payload).toHaveLength(2 + 5 + 2 + 200);
  });
});
