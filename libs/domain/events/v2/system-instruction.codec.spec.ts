import { MalformedBytesError, toBase58 } from '@fresnel/domain/primitives';
import { SYSTEM_INSTRUCTIONS } from '../discriminators';
import { decodeSystemOutputs } from './system-instruction.codec';

const bytes = (hex: string) => Buffer.from(hex.replace(/\s/g, ''), 'hex');
const OWNER = '0000000000000001000000000000000000000000000000000000000000000000';

/** Recorded: one input, one output of a million lamports. */
const INVOKE = `
  1a10a90715caf219 6f000000 00
  01000000 b46921fb54c8d5327e760164b51ece109fcc47298207c1897ac900b4ad8feee7 40420f0000000000 00 00
           00 01 00000000 01 0000 00
  01000000 ${OWNER} 40420f0000000000 00 00 01
  00 00000000 00 00`;

/** Recorded: one output with data and the largest discriminator. */
const WITH_READ_ONLY = `
  562fa3a615df5c08 00 ff d59e9bcb1ad3c1c30bdb099b3aac3ac8fe4be76a1fa8b74cb371ea65bf639c62
  0000000000000000 00 00 01 00 00 00 00
  00000000 00000000
  01000000 d59e9bcb1ad3c1c30bdb099b3aac3ac8fe4be76a1fa8b74cb371ea65bf639c62 0000000000000000 00
           01 ffffffffffffffff 1f000000 ${'02'.repeat(31)} ${'03'.repeat(32)} 00
  00000000 00000000`;

describe('decodeSystemOutputs', () => {
  it('reads invoke', () => {
    const outputs = decodeSystemOutputs(bytes(INVOKE));
    expect(outputs).toEqual([{ owner: bytes(OWNER), lamports: 1_000_000n, address: null, data: null }]);
    expect(toBase58(outputs[0].owner)).toBe('1111111QLbz7JHiBTspS962RLKV8GndWFwiEaqKM');
  });

  it('reads invoke_cpi, whose new addresses precede its inputs', () => {
    const data = `31d4bf8127c22bc4 00000000 01 ${'aa'.repeat(128)}
      01000000 ${'bb'.repeat(36)} 00000000
      01000000 ${OWNER} 0100000000000000 01 ${'00'.repeat(31)}07 00 02
      00 00 00 00`;
    expect(decodeSystemOutputs(bytes(data))).toEqual([
      { owner: bytes(OWNER), lamports: 1n, address: bytes(`${'00'.repeat(31)}07`), data: null },
    ]);
  });

  it('reads invoke_cpi_with_read_only', () => {
    const [output] = decodeSystemOutputs(bytes(WITH_READ_ONLY));
    expect(output.data).toEqual({
      discriminator: bytes('ff'.repeat(8)),
      bytes: bytes('02'.repeat(31)),
      dataHash: bytes('03'.repeat(32)),
    });
  });

  it('reads invoke_cpi_with_account_info: the outputs in its infos, owned by the caller', () => {
    const data = `e42280542f8b56f0 01 ff ${OWNER} 0500000000000000 01 00 00 000000 00
      01000000 ${'cc'.repeat(38)}
      03000000
        00 01 ${'01'.repeat(8)}${'02'.repeat(32)}${'03'.repeat(7)}0400 0000000000000000 00
        01 ${'00'.repeat(31)}09 00 01 ${'05'.repeat(8)} ${'06'.repeat(32)} 00 0700000000000000 02000000 abcd
        00 00 01 ${'07'.repeat(8)} ${'08'.repeat(32)} 01 0000000000000000 00000000
      00000000 00000000`;
    expect(decodeSystemOutputs(bytes(data))).toEqual([
      {
        owner: bytes(OWNER),
        lamports: 7n,
        address: bytes(`${'00'.repeat(31)}09`),
        data: { discriminator: bytes('05'.repeat(8)), dataHash: bytes('06'.repeat(32)), bytes: bytes('abcd') },
      },
      {
        owner: bytes(OWNER),
        lamports: 0n,
        address: null,
        data: { discriminator: bytes('07'.repeat(8)), dataHash: bytes('08'.repeat(32)), bytes: Buffer.alloc(0) },
      },
    ]);
  });

  it('is as lenient as the chain: address tags except 1 mean absent, any byte is a bool, trailing bytes are ignored', () => {
    const lenient = INVOKE.replace('40420f0000000000 00 00 01\n', '40420f0000000000 02 00 01\n')
      .replace('00 01 00000000 01 0000 00', '00 01 00000000 07 0000 09')
      .concat('ffff');
    expect(lenient).not.toBe(INVOKE);
    expect(decodeSystemOutputs(bytes(lenient))).toEqual(decodeSystemOutputs(bytes(INVOKE)));
  });

  it('rejects other instructions and truncated data', () => {
    expect(() => decodeSystemOutputs(SYSTEM_INSTRUCTIONS.initCpiContextAccount)).toThrow(MalformedBytesError);
    for (const whole of [INVOKE, WITH_READ_ONLY].map(bytes)) {
      const outputsEnd = whole.length - 9;
      for (let length = 8; length < outputsEnd; length += 3) {
        expect(() => decodeSystemOutputs(whole.subarray(0, length))).toThrow(MalformedBytesError);
      }
    }
  });
});
