import { type Pubkey, toBase58 } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { COMPRESSION_INSTRUCTIONS } from './discriminators';
import { findUnknownChange } from './find-unknown-instruction';
import { type Instruction, type InstructionGroup } from './instruction-groups';
import { TransactionParser } from './parse-transaction';
import { LIVE_PROGRAMS } from './program-set';

const { accountCompression, lightSystem, lightRegistry, noop } = LIVE_PROGRAMS;
const TREE = Buffer.alloc(32, 5) as Pubkey;
const OTHER = Buffer.alloc(32, 6) as Pubkey;
const PDA = LIVE_PROGRAMS.registeredProgramPda;

/** Nullifies leaf 1 of the tree. */
const PAYLOAD = Buffer.concat([Buffer.of(1), TREE, Buffer.from('010000000100000000000000', 'hex'), Buffer.alloc(8)]);
const UNKNOWN = Buffer.from('5a5a5a5a5a5a5a5a0102', 'hex');

function make(programId: Pubkey, height: number | null, data = Buffer.alloc(12), accounts: Pubkey[] = []): Instruction {
  return { programId, stackHeight: height, data, accounts };
}

const flat = (group: InstructionGroup) => group.map((instruction) => ({ ...instruction, stackHeight: null }));

describe('findUnknownChange', () => {
  const find = (group: InstructionGroup) => findUnknownChange(group, 1, LIVE_PROGRAMS);

  describe('of an instruction that emits an event', () => {
    const emitter = make(accountCompression, 2, UNKNOWN, [OTHER, TREE]);
    const event = make(noop, 3, PAYLOAD);
    const group = [make(lightRegistry, 1), emitter, event];

    it('names discriminator, event and tree, wherever the tree is among the accounts', () => {
      const change = `5a5a5a5a5a5a5a5a of the account compression program emits leaves-nullified for tree ${toBase58(TREE)}`;
      expect(find(group)).toBe(`unknown-instruction: ${change}`);
      expect(find(flat(group))).toBe(`unknown-instruction: ${change}`);
    });

    it('throws if the event cannot be decoded', () => {
      expect(() => find(group.with(2, { ...event, data: PAYLOAD.subarray(0, 30) }))).toThrow('bytes wanted');
    });

    it.each<[string, InstructionGroup]>([
      ['a known instruction', group.with(1, { ...emitter, data: COMPRESSION_INSTRUCTIONS.batchAppend })],
      ['an instruction of another program', group.with(1, { ...emitter, programId: OTHER })],
      ['an event of a tree that it does not name', group.with(1, { ...emitter, accounts: [OTHER] })],
      ['a noop that another instruction calls', group.with(2, { ...event, stackHeight: 2 })],
      ['an unused tag', group.with(2, { ...event, data: Buffer.of(9) })],
      ['no event', group.slice(0, 2)],
    ])('is null for %s', (_, other) => {
      expect(find(other)).toBeNull();
    });
  });

  describe('of an instruction that the light system program calls', () => {
    const call = make(accountCompression, 2, UNKNOWN, [OTHER, PDA]);
    const group = [make(lightSystem, 1), call];

    it('is found, also without stack heights', () => {
      expect(find(group)).toContain('is called by the light system program');
      expect(find(flat(group))).not.toBeNull();
    });

    it.each<[string, InstructionGroup]>([
      ['does not sign', group.with(1, { ...call, accounts: [OTHER] })],
      ['does not call', group.with(0, make(OTHER, 1))],
      ['does not call, without stack heights', flat(group.with(0, make(OTHER, 1)))],
    ])('is null if that %s', (_, other) => {
      expect(find(other)).toBeNull();
    });
  });
});

const parser = new TransactionParser(LIVE_PROGRAMS);

describe('a transaction with an unknown instruction', () => {
  it('has the problem, and not the event', () => {
    const blocks = generateLedger({ seed: 7, slots: 60, weights: { appendOutputs: 40 } });
    const facts = [...blocks].flatMap((block) => block.facts.transactions);
    const json = `{${facts.find(({ action }) => action === 'appendOutputs')?.members ?? ''}}`;
    const known = parser.parse(json);
    expect(known?.events).toMatchObject([{ kind: 'batch-append' }]);
    // As a version of the parser that knows no such instruction.
    const { batchAppend } = COMPRESSION_INSTRUCTIONS;
    const before = Buffer.from(batchAppend);
    batchAppend.fill(0x5a);
    const parsed = parser.parse(json);
    batchAppend.set(before);
    expect(parsed?.signature).toEqual(known?.signature);
    expect(parsed?.events).toEqual([]);
    expect(parsed?.problems).toEqual([
      expect.stringMatching(/^unknown-instruction: ddc203d8253edc93 of .* batch-append /),
    ]);
  });
});
