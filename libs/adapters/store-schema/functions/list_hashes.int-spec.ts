import { describeFunction, letterHash } from '@fresnel/testing/store';

describeFunction('list_hashes', ({ list }) => {
  it('lists the hashes with their places', async () => {
    const hashes = ['B', 'A', 'B'].map(letterHash);
    const listed = await list(`SELECT hash, place FROM list_hashes($1)`, [Buffer.concat(hashes)]);
    expect(listed).toEqual(hashes.map((hash, place) => [hash, place]));
  });

  it('lists nothing of an empty list', async () => {
    expect(await list(`SELECT * FROM list_hashes('')`)).toEqual([]);
  });
});
