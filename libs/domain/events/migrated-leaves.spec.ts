import { decodeBase58, encodeBase58, type Pubkey, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { generateLedger, type LeafMigratedFacts } from '@fresnel/ledger-generator';
import { COMPRESSION_INSTRUCTIONS } from './discriminators';
import { findMigratedLeaf } from './find-migrated-leaf';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';

interface CompiledInstruction {
  programIdIndex: number;
  accounts: number[];
  data: string;
}

interface RawJson {
  transaction: [string, string];
  meta: { err: unknown; innerInstructions: { index: number; instructions: CompiledInstruction[] }[] };
}

const parser = new TransactionParser(LIVE_PROGRAMS);
const parse = (raw: RawJson) => parser.parse(JSON.stringify(raw));

/** A transaction that migrates one leaf, and nothing else. */
function findMigration(): { raw: RawJson; facts: LeafMigratedFacts } {
  for (const { json, facts } of generateLedger({ seed: 1, slots: 60, weights: { migrateLeaves: 30 } })) {
    const { transactions } = JSON.parse(json) as { transactions: RawJson[] };
    for (const [at, { events, isFailed }] of facts.transactions.entries()) {
      const [event] = events;
      if (events.length === 1 && event.kind === 'leaf-migrated' && !isFailed) {
        return { raw: transactions[at], facts: event };
      }
    }
  }
  throw new Error('the ledger migrates no leaf');
}

const { raw, facts } = findMigration();
const nullified = {
  kind: 'leaves-nullified',
  tree: facts.tree,
  leafIndices: [BigInt(facts.account.leafIndex)],
  seq: facts.seq,
};

/** The transaction with another form of the compression instruction, the first inner one. */
function withInstruction(change: (instruction: CompiledInstruction) => Partial<CompiledInstruction>): RawJson {
  const [{ index, instructions }] = raw.meta.innerInstructions;
  const changed = instructions.with(0, { ...instructions[0], ...change(instructions[0]) });
  return { ...raw, meta: { ...raw.meta, innerInstructions: [{ index, instructions: changed }] } };
}

const withData = (change: (data: Buffer) => Buffer) =>
  withInstruction(({ data }) => ({ data: encodeBase58(change(decodeBase58(data))) }));

describe('a migrated leaf', () => {
  it('is nullified in the V1 tree, and enters the output queue of the V2 tree', () => {
    expect(parse(raw)).toMatchObject({
      events: [nullified, { kind: 'leaf-migrated', queue: facts.target.queue, hash: facts.account.hash }],
      problems: [],
    });
  });

  it('is ignored in a failed transaction', () => {
    const meta = { ...raw.meta, err: { InstructionError: [0, { Custom: 6000 }] } };
    expect(parse({ ...raw, meta })).toBeNull();
  });

  it.each([
    ['the leaf is truncated', withData((data) => data.subarray(0, 47))],
    ['the output queue is missing', withInstruction(({ accounts }) => ({ accounts: accounts.slice(0, 4) }))],
  ])('is reported if %s, and is nullified in the V1 tree nevertheless', (_, reduced) => {
    const parsed = parse(reduced);
    expect(parsed?.events).toEqual([nullified]);
    expect(parsed?.problems).toEqual([expect.stringContaining('tree event: ')]);
  });

  it('is not found in an instruction that nullifies leaves', () => {
    const others = withData((data) => Buffer.concat([COMPRESSION_INSTRUCTIONS.nullifyLeaves, data.subarray(8)]));
    expect(parse(others)).toMatchObject({ events: [nullified], problems: [] });
  });

  it('is not found in an instruction of another program, nor without its event', () => {
    expect(parse(withInstruction(() => ({ programIdIndex: 0 })))).toBeNull();
    const [{ index, instructions }] = raw.meta.innerInstructions;
    const innerInstructions = [{ index, instructions: instructions.slice(0, 1) }];
    expect(parse({ ...raw, meta: { ...raw.meta, innerInstructions } })).toBeNull();
  });

  it('is read from the instruction alone', () => {
    const data = Buffer.concat([COMPRESSION_INSTRUCTIONS.migrateState, Buffer.alloc(8, 1), Buffer.alloc(32, 2)]);
    const queue = Buffer.alloc(32, 3) as Pubkey;
    const accounts = [ZERO_PUBKEY, ZERO_PUBKEY, ZERO_PUBKEY, ZERO_PUBKEY, queue];
    const instruction = { programId: LIVE_PROGRAMS.accountCompression, stackHeight: 2, data, accounts };
    expect(findMigratedLeaf(instruction)).toEqual({ kind: 'leaf-migrated', queue, hash: Buffer.alloc(32, 2) });
  });
});
