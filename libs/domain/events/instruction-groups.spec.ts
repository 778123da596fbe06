import { toPubkey, toSignature } from '@fresnel/domain/primitives';
import { callerOf, groupInstructions } from './instruction-groups';

const PROGRAMS = Array.from({ length: 9 }, (_, seed) => toPubkey(Buffer.alloc(32, seed)));

/** Calls that are nested eight levels deep: each program calls the next one. */
const [GROUP] = groupInstructions(
  {
    version: 'legacy',
    signature: toSignature(Buffer.alloc(64)),
    staticKeys: PROGRAMS,
    instructions: [{ programIndex: 0, accountIndices: Buffer.alloc(0), data: Buffer.alloc(0) }],
    lookedUpKeys: 0,
  },
  {
    loadedAddresses: [],
    innerInstructions: [
      {
        index: 0,
        instructions: PROGRAMS.slice(1).map((_, at) => ({
          programIdIndex: at + 1,
          accounts: [],
          data: '',
          stackHeight: at + 2,
        })),
      },
    ],
  },
);

describe('the caller of an instruction', () => {
  it('is the instruction one level above, up to eight levels of calls', () => {
    expect(GROUP.map((_, at) => callerOf(GROUP, at)?.programId ?? null)).toEqual([null, ...PROGRAMS.slice(0, -1)]);
  });

  it('is unknown if stack heights are missing', () => {
    const group = GROUP.map((instruction) => ({ ...instruction, stackHeight: null }));
    expect(callerOf(group, 3)).toBeUndefined();
  });
});
