import { be32, MAX_U64, u64ToLittleEndian } from './u64';

describe('numbers as bytes', () => {
  it('writes numbers of any size as 32 bytes, big endian', () => {
    expect(be32(0).toString('hex')).toBe('00'.repeat(32));
    expect(be32(4).toString('hex')).toBe('00'.repeat(31) + '04');
    expect(be32(MAX_U64).toString('hex')).toBe('00'.repeat(24) + 'ff'.repeat(8));
    expect(be32(2n ** 248n - 1n).toString('hex')).toBe('00' + 'ff'.repeat(31));
  });

  it('writes a u64 little endian', () => {
    expect(u64ToLittleEndian(MAX_U64 - 1n).toString('hex')).toBe('feffffffffffffff');
  });
});
