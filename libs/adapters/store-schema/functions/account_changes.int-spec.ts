import { describeFunction, letterHash, setIndexedSlot } from '@fresnel/testing/store';

describeFunction('account_changes', (database) => {
  const { insert, list } = database;
  const idOf = (slot: number) => slot << 16;
  const account = (letter: string, slot: number, columns = {}) => ({
    hash: letterHash(letter),
    created_by: idOf(slot),
    leaf_index: 7,
    tree_id: 1,
    ...columns,
  });
  const spend = (letter: string, slot: number) => ({ hash: letterHash(letter), spent_by: idOf(slot) });
  const transaction = (slot: number, created: string, consumed: string) => ({
    id: idOf(slot),
    block_time: 0,
    block_index: 0,
    signature: letterHash(String.fromCharCode(slot)),
    created: Buffer.concat(Array.from(created, letterHash)),
    consumed: Buffer.concat(Array.from(consumed, letterHash)),
    json: Buffer.of(),
  });
  /** Slot, letter and change of each account, in order. */
  const changes = (slots: number[], sign: number, includesLater: boolean) =>
    list(
      `SELECT transaction_id::integer >> 16, left(encode(hash, 'escape'), 1), change
       FROM unnest(account_changes($1, $2, $3)) ORDER BY 1, 2`,
      [slots, sign, includesLater],
    );

  /** Slot 11 creates A and B, 12 consumes A and creates C, 13 consumes C. */
  async function storeChain(): Promise<void> {
    await insert('transactions', transaction(11, 'AB', ''), transaction(12, 'C', 'A'), transaction(13, '', 'C'));
    await insert('accounts', account('A', 11), account('B', 11), account('C', 12));
    await insert('spends', spend('A', 12), spend('C', 13));
    await setIndexedSlot(database, 13);
  }

  it('lists accounts that appear and disappear in slots', async () => {
    await storeChain();
    expect(await changes([11, 12], 1, false)).toEqual([
      [11, 'A', 1],
      [11, 'B', 1],
      [12, 'A', -1],
      [12, 'C', 1],
    ]);
    expect(await changes([13], 1, false)).toEqual([[13, 'C', -1]]);
    expect(await changes([14], 1, false)).toEqual([]);
  });

  it('reverses the signs of slots that are taken back', async () => {
    await storeChain();
    expect(await changes([12], -1, false)).toEqual([
      [12, 'A', 1],
      [12, 'C', -1],
    ]);
  });

  it('includes spends by later slots that are indexed', async () => {
    await storeChain();
    expect(await changes([12], 1, true)).toEqual([
      [12, 'A', -1],
      [12, 'C', 1],
      [13, 'C', -1],
    ]);
    expect(await changes([12, 13], -1, true)).toEqual([
      [12, 'A', 1],
      [12, 'C', -1],
      [13, 'C', 1],
    ]);
    await setIndexedSlot(database, 12);
    expect(await changes([12], 1, true)).toHaveLength(2);
  });

  it('leaves out what is not stored, or stored of another transaction', async () => {
    await insert('transactions', transaction(11, 'AB', 'CD'));
    await insert('accounts', account('A', 10), account('C', 10), account('D', 10));
    await insert('spends', spend('B', 11), spend('C', 12));
    expect(await changes([11], 1, false)).toEqual([]);
  });

  const [key, wallet, mint, address] = ['K', 'W', 'M', 'S'].map(letterHash);
  it.each([
    ['the key that a mint or a decompressed account contains', { onchain_pubkey: key, ata_owner: wallet, mint }, key],
    ['the wallet of an associated token account', { ata_owner: wallet, mint }, wallet],
    ['no key of an account without tokens', { ata_owner: wallet }, null],
  ])('names %s', async (_, columns, expected) => {
    await insert('transactions', transaction(11, 'A', ''));
    await insert('accounts', account('A', 11, columns));
    expect(await list(`SELECT onchain_key FROM unnest(account_changes('{11}', 1, false))`)).toEqual([[expected]]);
  });

  it.each([
    [true, 'an address and data', { address, data_hash: key }],
    [false, 'no data', { address }],
    [false, 'no address', { data_hash: key }],
  ])('says %s of an account with %s', async (expected, _, columns) => {
    await insert('transactions', transaction(11, 'A', ''));
    await insert('accounts', account('A', 11, columns));
    expect(await list(`SELECT has_address FROM unnest(account_changes('{11}', 1, false))`)).toEqual([[expected]]);
  });
});
