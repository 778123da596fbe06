import { ownBytes } from './own-bytes';

describe('ownBytes', () => {
  it('has the same bytes in memory that nothing else shares', () => {
    const bytes = Buffer.from('a hash');
    expect(bytes.buffer.byteLength).toBeGreaterThan(bytes.length);
    const own = ownBytes(bytes);
    expect(own).toEqual(bytes);
    expect(own.buffer.byteLength).toBe(bytes.length);
  });
});
