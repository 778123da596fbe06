import { decodeBase58, parsePubkey, toBase58 } from '@fresnel/domain/primitives';
import { VersionedTransaction } from '@solana/web3.js';
import { COMPRESSION_INSTRUCTIONS, SYSTEM_INSTRUCTIONS } from './encode/discriminators';
import { type TransactionFacts } from './facts';
import { generateLedger } from './generate-ledger';
import { GENERATED_PROGRAMS, SOLANA_PROGRAMS } from './keys';
import { LOOKUP_TABLES } from './transaction/lookup-tables';

/** An instruction with its accounts and its stack height. */
interface Executed {
  program: string;
  accounts: string[];
  data: Buffer;
  height: number;
}

interface Meta {
  preBalances: number[];
  innerInstructions: { index: number; instructions: Inner[] }[];
  loadedAddresses: { writable: string[]; readonly: string[] };
}

interface Inner {
  programIdIndex: number;
  accounts: number[];
  data: string;
  stackHeight: number;
}

interface Entry {
  transaction: [wire: string, encoding: string];
  meta: Meta;
  version: 'legacy' | 0 | 1;
}

interface DecodedTransaction {
  facts: TransactionFacts;
  decoded: VersionedTransaction;
  wire: Buffer;
  meta: Meta;
  accounts: string[];
  /** Each outer instruction, followed by its inner instructions in the order of execution. */
  groups: Executed[][];
}

const programOf = (key: keyof typeof GENERATED_PROGRAMS) => toBase58(GENERATED_PROGRAMS[key]);
const COMPRESSION = programOf('accountCompression');
const NOOP = programOf('noop');
const LIGHT_SYSTEM = programOf('lightSystem');
const SYSTEM = toBase58(SOLANA_PROGRAMS.system);

const transactions = decodeAll();
const authentic = transactions.filter(({ facts }) => facts.events.length > 0);

/** All transactions of a ledger in versions that the client library supports. */
function decodeAll(): DecodedTransaction[] {
  return [...generateLedger({ seed: 21, slots: 60 })].flatMap(({ json, facts }) => {
    const body: { transactions: Entry[] } = JSON.parse(json);
    const entries = facts.transactions.map((each, i) => ({ each, entry: body.transactions[i] }));
    return entries.filter(({ entry }) => entry.version !== 1).map(({ each, entry }) => decode(each, entry));
  });
}

function decode(facts: TransactionFacts, { transaction, meta }: Entry): DecodedTransaction {
  const wire = Buffer.from(transaction[0], 'base64');
  const decoded = VersionedTransaction.deserialize(wire);
  const { message } = decoded;
  const { writable, readonly } = meta.loadedAddresses;
  const accounts = [...message.staticAccountKeys.map(String), ...writable, ...readonly];
  const groups = message.compiledInstructions.map((outer, index): Executed[] => [
    {
      program: accounts[outer.programIdIndex],
      accounts: outer.accountKeyIndexes.map((position) => accounts[position]),
      data: Buffer.from(outer.data),
      height: 1,
    },
    ...innerOf(meta, index).map((inner) => ({
      program: accounts[inner.programIdIndex],
      accounts: inner.accounts.map((position) => accounts[position]),
      data: decodeBase58(inner.data),
      height: inner.stackHeight,
    })),
  ]);
  return { facts, decoded, wire, meta, accounts, groups };
}

function innerOf(meta: Meta, index: number): Inner[] {
  return meta.innerInstructions.find((entry) => entry.index === index)?.instructions ?? [];
}

function isInstruction(program: string, name: Buffer): (executed: Executed) => boolean {
  return (executed) => executed.program === program && executed.data.subarray(0, 8).equals(name);
}

describe('transactions decoded by a client library', () => {
  it('contain the signature of the facts, and the number of signatures in the header', () => {
    for (const { facts, decoded } of transactions) {
      expect(Buffer.from(decoded.signatures[0])).toEqual(facts.signature);
      expect(decoded.signatures).toHaveLength(decoded.message.header.numRequiredSignatures);
    }
  });

  it('have no trailing bytes, and fit in a packet', () => {
    for (const { wire, decoded } of transactions) {
      expect(Buffer.from(decoded.message.serialize()).equals(wire.subarray(1 + 64 * decoded.signatures.length))).toBe(
        true,
      );
      expect(wire.length).toBeLessThanOrEqual(1232);
    }
  });

  it('load the keys of their lookups, including programs and trees', () => {
    const withLookups = transactions.filter(({ decoded }) => decoded.message.addressTableLookups.length > 0);
    for (const { decoded, meta } of withLookups) {
      const keysOf = (kind: 'writableIndexes' | 'readonlyIndexes') =>
        decoded.message.addressTableLookups.flatMap((lookup) => {
          const table = LOOKUP_TABLES.find(({ key }) => key.equals(lookup.accountKey.toBuffer()));
          return lookup[kind].map((position) => table && toBase58(table.entries[position]));
        });
      expect(keysOf('writableIndexes')).toEqual(meta.loadedAddresses.writable);
      expect(keysOf('readonlyIndexes')).toEqual(meta.loadedAddresses.readonly);
    }
    expect(withLookups.some(({ meta }) => meta.loadedAddresses.readonly.includes(COMPRESSION))).toBe(true);
    expect(withLookups.some(({ meta }) => meta.loadedAddresses.writable.length > 0)).toBe(true);
  });

  it('have a balance for every account, and account indices in range', () => {
    for (const { meta, accounts, groups } of transactions) {
      expect(meta.preBalances).toHaveLength(accounts.length);
      expect(new Set(accounts).size).toBe(accounts.length);
      for (const executed of groups.flat()) {
        expect([executed.program, ...executed.accounts]).not.toContain(undefined);
        expect(() => parsePubkey(executed.program)).not.toThrow();
      }
    }
  });

  it('increase the stack height by at most one from one instruction to the next', () => {
    for (const group of transactions.flatMap(({ groups }) => groups)) {
      for (let i = 1; i < group.length; i++) {
        expect(group[i].height).toBeGreaterThan(1);
        expect(group[i].height).toBeLessThanOrEqual(group[i - 1].height + 1);
      }
    }
  });
});

describe('events', () => {
  const noops = authentic.flatMap(({ groups }) =>
    groups.flatMap((group) => group.flatMap((executed, at) => (executed.program === NOOP ? [{ group, at }] : []))),
  );
  const isTreeEvent = ({ group, at }: { group: Executed[]; at: number }) => group[at - 1].program === COMPRESSION;

  it('of trees follow a compression instruction whose fourth account is the tree', () => {
    const treeEvents = noops.filter(isTreeEvent);
    expect(treeEvents.length).toBeGreaterThan(0);
    for (const { group, at } of treeEvents) {
      expect(group[at].height).toBe(group[at - 1].height + 1);
      expect(group[at - 1].accounts[3]).toBe(toBase58(group[at].data.subarray(1, 33)));
    }
  });

  it('of V1 transitions are CPIs of the light system program, after an append and one or two transfers', () => {
    const counts = new Set<number>();
    for (const { group, at } of noops.filter((noop) => !isTreeEvent(noop))) {
      const append = group.findLastIndex((executed, i) => i < at && executed.program === COMPRESSION);
      const between = group.slice(append + 1, at);
      const caller = group.findLast((executed, i) => i < at && executed.height === group[at].height - 1);
      expect(between.every(({ program }) => program === SYSTEM)).toBe(true);
      expect(isInstruction(COMPRESSION, COMPRESSION_INSTRUCTIONS.appendLeavesToMerkleTrees)(group[append])).toBe(true);
      expect([group[append].height, caller?.program]).toEqual([group[at].height, LIGHT_SYSTEM]);
      counts.add(between.length);
    }
    expect(counts).toEqual(new Set([1, 2]));
  });

  it('of V2 transitions are insert CPIs of the light system program, after transfers', () => {
    const groups = authentic.flatMap(({ groups: each }) => each);
    const isInsert = isInstruction(COMPRESSION, COMPRESSION_INSTRUCTIONS.insertIntoQueues);
    for (const group of groups) {
      for (const [at, executed] of group.entries()) {
        if (!isInsert(executed)) continue;
        const caller = group.findLastIndex((other, i) => i < at && other.program === LIGHT_SYSTEM);
        const between = group.slice(caller + 1, at).map(({ program }) => program);
        expect(group[caller].height).toBe(executed.height - 1);
        expect(new Set(between)).toEqual(new Set([SYSTEM]));
        expect(executed.accounts.length).toBeGreaterThan(2);
      }
    }
    expect(groups.some((group) => group.filter(isInsert).length > 1)).toBe(true);
  });

  it.each([
    ['invoke', SYSTEM_INSTRUCTIONS.invoke, null],
    ['invoke_cpi', SYSTEM_INSTRUCTIONS.invokeCpi, null],
    ['invoke_cpi_with_read_only, mode 0', SYSTEM_INSTRUCTIONS.invokeCpiWithReadOnly, 0],
    ['invoke_cpi_with_read_only, mode 1', SYSTEM_INSTRUCTIONS.invokeCpiWithReadOnly, 1],
    ['invoke_cpi_with_account_info, mode 0', SYSTEM_INSTRUCTIONS.invokeCpiWithAccountInfo, 0],
    ['invoke_cpi_with_account_info, mode 1', SYSTEM_INSTRUCTIONS.invokeCpiWithAccountInfo, 1],
  ])('use %s', (_, name, mode) => {
    const executed = authentic.flatMap(({ groups }) => groups.flat()).filter(isInstruction(LIGHT_SYSTEM, name));
    expect(executed.some(({ data }) => mode === null || data[8] === mode)).toBe(true);
  });

  it('have outputs from the CPI context, and unused sequence entries', () => {
    const inserts = authentic
      .flatMap(({ groups }) => groups.flat())
      .filter(isInstruction(COMPRESSION, COMPRESSION_INSTRUCTIONS.insertIntoQueues));
    expect(inserts.some(({ data }) => data.readUInt32LE(data.length - 4) !== 0)).toBe(true);
    expect(inserts.some(({ data }) => data.includes(Buffer.alloc(80)))).toBe(true);
  });

  it('are forged by other programs, never with an authentic caller', () => {
    const forged = transactions.filter(({ facts }) => facts.action === 'forgeEvent');
    expect(forged.length).toBeGreaterThan(0);
    for (const group of forged.flatMap(({ groups }) => groups)) {
      const at = group.findIndex(({ program }) => program === NOOP);
      if (at < 0) continue;
      const caller = group.findLast((executed, i) => i < at && executed.height === group[at].height - 1);
      expect([COMPRESSION, LIGHT_SYSTEM]).not.toContain(caller?.program);
    }
  });
});
