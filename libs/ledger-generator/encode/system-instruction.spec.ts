import { type Hash, parsePubkey, type Pubkey } from '@fresnel/domain/primitives';
import { type AccountBody } from '../facts';
import { encodeInvoke } from './invoke';
import { encodeInvokeCpi } from './invoke-cpi';
import { encodeInvokeCpiWithAccountInfo } from './invoke-cpi-with-account-info';
import { encodeInvokeCpiWithReadOnly } from './invoke-cpi-with-read-only';
import { type SystemInstruction } from './system-instruction';

const compact = (hex: string) => hex.replace(/\s/g, '');
const NOTHING: SystemInstruction = {
  invokingProgram: null,
  proof: null,
  inputs: [],
  outputs: [],
  newAddresses: [],
  lamports: 0n,
  isCompress: false,
  withTransactionHash: false,
  cpiContext: null,
  tagBytes: null,
};

const lamportsOf = (owner: Pubkey): AccountBody => ({ owner, lamports: 1_000_000n, address: null, data: null });

describe('encodeInvoke', () => {
  it('writes a recorded transfer', () => {
    const owner = Buffer.from('b46921fb54c8d5327e760164b51ece109fcc47298207c1897ac900b4ad8feee7', 'hex') as Pubkey;
    const context = { treeIndex: 0, queueIndex: 1, leafIndex: 0, proveByIndex: true };
    const encoded = encodeInvoke({
      ...NOTHING,
      inputs: [{ account: lamportsOf(owner), context, rootIndex: 0 }],
      outputs: [{ account: lamportsOf(parsePubkey('1111111QLbz7JHiBTspS962RLKV8GndWFwiEaqKM')), treeIndex: 1 }],
    });
    expect(encoded.toString('hex')).toBe(
      '1a10a90715caf2196f0000000001000000b46921fb54c8d5327e760164b51ece109fcc47298207c1897ac900b4ad8feee740' +
        '420f000000000000000001000000000100000001000000000000000000000100000000000000000000000000000000000000' +
        '000000000040420f000000000000000100000000000000',
    );
  });
});

const program = Buffer.from('d59e9bcb1ad3c1c30bdb099b3aac3ac8fe4be76a1fa8b74cb371ea65bf639c62', 'hex') as Pubkey;
const account: AccountBody = {
  owner: program,
  lamports: 0n,
  address: null,
  data: {
    discriminator: Buffer.alloc(8, 0xff),
    bytes: Buffer.alloc(31, 2),
    dataHash: Buffer.alloc(32, 3) as Hash,
  },
};

describe('encodeInvokeCpiWithReadOnly', () => {
  it('writes a recorded creation', () => {
    const encoded = encodeInvokeCpiWithReadOnly(
      { ...NOTHING, invokingProgram: program, withTransactionHash: true, outputs: [{ account, treeIndex: 0 }] },
      0,
    );
    expect(encoded).toHaveLength(195);
    expect(encoded.toString('hex')).toBe(
      compact(`
        562fa3a615df5c08 00 ff
        ${program.toString('hex')}
        0000000000000000 00 00 01  00 00 00  00
        00000000 00000000
        01000000 ${program.toString('hex')} 0000000000000000 00
            01 ffffffffffffffff 1f000000 ${'02'.repeat(31)} ${'03'.repeat(32)}  00
        00000000 00000000`),
    );
  });
});

/** Length of discriminator, mode, bump, program, lamports, three booleans and the CPI context. */
const HEADER_END = 8 + 1 + 1 + 32 + 8 + 3 + 3;

describe('encodeInvokeCpiWithAccountInfo', () => {
  const address = Buffer.alloc(32, 5) as Hash;
  const context = { treeIndex: 1, queueIndex: 0, leafIndex: 7, proveByIndex: true };
  const before = { account: { ...account, address }, context, rootIndex: 0 };
  const after = { account: { ...account, address }, treeIndex: 0 };
  const instruction = { ...NOTHING, invokingProgram: program, inputs: [before] };

  it('writes one entry for an updated account', () => {
    const encoded = encodeInvokeCpiWithAccountInfo({ ...instruction, outputs: [after] }, 1);
    expect(encoded.subarray(HEADER_END).toString('hex')).toBe(
      compact(`
        00 00000000
        01000000
          01 ${'05'.repeat(32)}
          01 ${'ff'.repeat(8)} ${'03'.repeat(32)} 01 00 07000000 01 0000 0000000000000000
          01 ${'ff'.repeat(8)} ${'03'.repeat(32)} 00 0000000000000000 1f000000 ${'02'.repeat(31)}
        00000000 00000000`),
    );
  });

  it('writes two entries for a closed account and a created one', () => {
    const other = { account, treeIndex: 0 };
    const infos = encodeInvokeCpiWithAccountInfo({ ...instruction, outputs: [other] }, 1).subarray(HEADER_END + 5);
    expect(infos.readUInt32LE()).toBe(2);
  });
});

describe('encodeInvokeCpi', () => {
  it('writes new addresses before the inputs, and the CPI context at the end', () => {
    const seed = Buffer.alloc(32, 6);
    const encoded = encodeInvokeCpi({
      ...NOTHING,
      newAddresses: [{ seed, queueIndex: 1, treeIndex: 2, rootIndex: 3, assignedTo: null }],
      lamports: 9n,
      isCompress: true,
      cpiContext: { step: 'write', accountIndex: 4 },
    });
    expect(encoded.toString('hex')).toBe(
      compact(`
        31d4bf8127c22bc4 40000000 00
        01000000 ${'06'.repeat(32)} 01 02 0300
        00000000 00000000 00
        01 0900000000000000 01
        01 00 01 04`),
    );
  });
});
