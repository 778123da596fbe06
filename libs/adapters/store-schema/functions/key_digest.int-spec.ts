import { describeFunction } from '@fresnel/testing/store';
import { createHash } from 'node:crypto';

describeFunction('key_digest', ({ list }) => {
  it('is the start of the SHA-256 of a key', async () => {
    const key = Buffer.alloc(32, 7);
    const [[digest]] = await list(`SELECT replace(key_digest($1)::text, '-', '')`, [key]);
    expect(digest).toBe(createHash('sha256').update(key).digest('hex').slice(0, 32));
  });

  it('is null of no key', async () => {
    expect(await list(`SELECT key_digest(NULL)`)).toEqual([[null]]);
  });
});
