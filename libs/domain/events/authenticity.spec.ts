import { type Pubkey, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { COMPRESSION_INSTRUCTIONS } from './discriminators';
import { findTreeEvent } from './find-tree-event';
import { type Instruction } from './instruction-groups';
import { LIVE_PROGRAMS } from './program-set';
import { findV1Event } from './v1/find-v1-transition';

const { accountCompression, lightSystem, lightRegistry, noop } = LIVE_PROGRAMS;
const TREE = Buffer.alloc(32, 5) as Pubkey;
const ATTACKER = Buffer.alloc(32, 6) as Pubkey;

function make(
  programId: Pubkey,
  stackHeight: number | null,
  data: Buffer = Buffer.alloc(12),
  accounts: Pubkey[] = [],
): Instruction {
  return { programId, stackHeight, data, accounts };
}

describe('a V1 transition', () => {
  const append = (height: number | null) =>
    make(accountCompression, height, COMPRESSION_INSTRUCTIONS.appendLeavesToMerkleTrees);
  const group = [make(ATTACKER, 1), make(lightSystem, 2), append(3), make(ZERO_PUBKEY, 4), make(noop, 3)];
  const replace = (at: number, ...instructions: Instruction[]) => group.toSpliced(at, 1, ...instructions);

  it('is found if the light system program called both instructions, with one or two fee transfers', () => {
    expect(findV1Event(group, 2, LIVE_PROGRAMS)).toBe(4);
    expect(findV1Event(replace(3, make(ZERO_PUBKEY, 4), make(ZERO_PUBKEY, 4)), 2, LIVE_PROGRAMS)).toBe(5);
  });

  it('is found if accounts are only consumed', () => {
    const consume = make(accountCompression, 3, COMPRESSION_INSTRUCTIONS.insertIntoNullifierQueues);
    expect(findV1Event(replace(2, consume), 2, LIVE_PROGRAMS)).toBe(4);
  });

  it('is found without stack heights after a light system instruction', () => {
    const flat = group.map((instruction) => ({ ...instruction, stackHeight: null }));
    expect(findV1Event(flat, 2, LIVE_PROGRAMS)).toBe(4);
    expect(findV1Event(flat.toSpliced(1, 1), 1, LIVE_PROGRAMS)).toBeNull();
  });

  it.each([
    ['no transfer', replace(3)],
    ['three transfers', replace(3, make(ZERO_PUBKEY, 4), make(ZERO_PUBKEY, 4), make(ZERO_PUBKEY, 4))],
    ['another instruction in between', replace(3, make(ZERO_PUBKEY, 4), make(ATTACKER, 4))],
    ['no noop at the end', group.slice(0, 4)],
    ['another caller', replace(1, make(ATTACKER, 2))],
    ['a noop called by the caller of the light system program', replace(4, make(noop, 2))],
    ['a noop one level deeper', replace(4, make(noop, 4))],
    ['an instruction that changes no V1 tree', replace(2, make(accountCompression, 3))],
    [
      'a compression instruction of another program',
      replace(2, make(ATTACKER, 3, COMPRESSION_INSTRUCTIONS.appendLeavesToMerkleTrees)),
    ],
  ])('is not found with %s', (_, forged) => {
    expect(findV1Event(forged, 2, LIVE_PROGRAMS)).toBeNull();
  });
});

describe('a tree event', () => {
  const payload = Buffer.concat([
    Buffer.from([1]),
    TREE,
    Buffer.from('010000000100000000000000', 'hex'),
    Buffer.alloc(8, 0),
  ]);
  const accounts = [ZERO_PUBKEY, ZERO_PUBKEY, ZERO_PUBKEY, TREE];
  const nullify = make(accountCompression, 2, COMPRESSION_INSTRUCTIONS.nullifyLeaves, accounts);
  const event = make(noop, 3, payload);
  const find = (emitter: Instruction, noopCall: Instruction) =>
    findTreeEvent([make(lightRegistry, 1), emitter, noopCall], 1, LIVE_PROGRAMS);

  it('is found after an instruction that emits such events', () => {
    expect(find(nullify, event)).toMatchObject({ kind: 'leaves-nullified', tree: TREE });
    expect(find({ ...nullify, data: COMPRESSION_INSTRUCTIONS.migrateState }, event)).not.toBeNull();
    expect(find({ ...nullify, stackHeight: null }, { ...event, stackHeight: null })).not.toBeNull();
  });

  it.each([
    ['an instruction that emits other events', { ...nullify, data: COMPRESSION_INSTRUCTIONS.batchAppend }, event],
    ['an instruction that emits no events', { ...nullify, data: Buffer.alloc(12) }, event],
    ['another tree', { ...nullify, accounts: [...accounts.slice(0, 3), ATTACKER] }, event],
    ['no tree account', { ...nullify, accounts: [] }, event],
    ['a noop called by another program', nullify, { ...event, stackHeight: 2 }],
    ['another program’s instruction', { ...nullify, programId: ATTACKER }, event],
    ['another program’s payload', nullify, { ...event, programId: ATTACKER }],
    ['an unused tag', nullify, { ...event, data: Buffer.from([9]) }],
  ])('is not found with %s', (_, emitter, noopCall) => {
    expect(find(emitter, noopCall)).toBeNull();
  });

  it('throws if the payload of an authentic event cannot be decoded', () => {
    expect(() => find(nullify, { ...event, data: payload.subarray(0, 30) })).toThrow('bytes wanted');
  });
});
