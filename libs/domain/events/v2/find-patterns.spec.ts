import { type Pubkey, ZERO_PUBKEY } from '@fresnel/domain/primitives';
import { COMPRESSION_INSTRUCTIONS, SYSTEM_INSTRUCTIONS, TRANSFER2 } from '../discriminators';
import { type Instruction } from '../instruction-groups';
import { LIVE_PROGRAMS, type ProgramSet } from '../program-set';
import { findTransitionPatterns } from './find-patterns';

const { accountCompression, lightSystem, lightRegistry, compressedToken, registeredProgramPda } = LIVE_PROGRAMS;
const data = (prefix: Buffer) => Buffer.concat([prefix, Buffer.alloc(12)]);
const make = (programId: Pubkey, bytes: Buffer, stackHeight: number | null, accounts: Pubkey[] = []): Instruction => {
  return { programId, data: data(bytes), accounts, stackHeight };
};

/**
 * Instructions by letter: program, Light, Sol, Insert, Token, Registry, and the instruction that creates a CPI context.
 */
const KINDS = {
  p: () => make(Buffer.alloc(32, 7) as Pubkey, Buffer.alloc(0), 1),
  L: () => make(lightSystem, SYSTEM_INSTRUCTIONS.invokeCpi, 2),
  S: () => make(ZERO_PUBKEY, Buffer.alloc(0), 3),
  I: () =>
    make(accountCompression, COMPRESSION_INSTRUCTIONS.insertIntoQueues, 3, [
      ZERO_PUBKEY,
      registeredProgramPda,
      ZERO_PUBKEY,
    ]),
  T: () => make(compressedToken, Buffer.from([TRANSFER2]), 2),
  R: () => make(lightRegistry, Buffer.alloc(0), 1),
  C: () => make(lightSystem, SYSTEM_INSTRUCTIONS.initCpiContextAccount, 2),
};
const isKind = (letter: string): letter is keyof typeof KINDS => letter in KINDS;
const groupOf = (letters: string) =>
  Array.from(letters)
    .filter(isKind)
    .map((letter) => KINDS[letter]());
const find = (letters: string, programs: ProgramSet = LIVE_PROGRAMS) =>
  findTransitionPatterns(groupOf(letters), programs).map(({ insert, system, transfer2 }) => [
    insert,
    system,
    transfer2,
  ]);

describe('findTransitionPatterns', () => {
  it.each([
    ['one call', 'pLSI', [[3, 1, null]]],
    ['several transfers before the insert', 'LSSSI', [[4, 0, null]]],
    [
      'several calls, in execution order',
      'pLSILSILSI',
      [
        [3, 1, null],
        [6, 4, null],
        [9, 7, null],
      ],
    ],
    ['a call with a CPI context that other calls wrote to', 'pLLSI', [[4, 2, null]]],
    ['a compress-and-close', 'RTLSI', [[4, 2, 1]]],
    ['the token instruction nearest to the call', 'RTTLSI', [[5, 3, 2]]],
    ['a token transfer without the registry', 'pTLSI', [[4, 2, null]]],
    ['an insert without a transfer before it, and not its caller', 'pLI', [[2, null, null]]],
    ['another instruction between call and insert, and not its caller', 'LpSI', [[3, null, null]]],
    ['an instruction between transfer and insert, and not its caller', 'LSpI', [[3, null, null]]],
    ['an insert after a CPI context that is only created', 'CSI', [[2, null, null]]],
    [
      'inserts without a system instruction',
      'ISI',
      [
        [0, null, null],
        [2, null, null],
      ],
    ],
    [
      'a second insert after a call',
      'LSISI',
      [
        [2, 0, null],
        [4, null, null],
      ],
    ],
    ['a call without an insert', 'pLS', []],
    ['nothing', '', []],
  ])('finds %s', (_, letters, expected) => {
    expect(find(letters)).toEqual(expected);
  });

  it('finds nothing if the deployment has no V2 events', () => {
    expect(find('pLSI', { ...LIVE_PROGRAMS, registeredProgramPda: null })).toEqual([]);
  });

  it('requires the registration of the light system program, and an insert called by the system instruction', () => {
    const [program, light, sol, insert] = groupOf('pLSI');
    const unregistered = { ...insert, accounts: [ZERO_PUBKEY, ZERO_PUBKEY, ZERO_PUBKEY] };
    expect(findTransitionPatterns([program, light, sol, unregistered], LIVE_PROGRAMS)).toEqual([]);
    const systemOf = (last: Instruction) =>
      findTransitionPatterns([program, light, sol, last], LIVE_PROGRAMS).map(({ system }) => system);
    expect(systemOf({ ...insert, stackHeight: 2 })).toEqual([null]);
    expect(systemOf({ ...insert, stackHeight: null })).toEqual([1]);
  });
});
