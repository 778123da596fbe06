import { type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type CreatedAccount } from '@fresnel/domain/state';
import { consumedAccount, createdAccount, slotUpdate, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotChange } from './slot-batch';

const [KEY, WALLET] = [0x31, 0x32].map((seed) => Buffer.alloc(32, seed) as Pubkey);
const SPECIAL: CreatedAccount = { ...createdAccount(1, null, 70), onchainPubkey: KEY };
const ATA: CreatedAccount = { ...createdAccount(2, 5n, 70), ataOwner: WALLET };
/** Its event names a wallet, but it has no tokens. */
const NOT_A_TOKEN: CreatedAccount = { ...createdAccount(3, null, 70), ataOwner: WALLET };

describe('the keys of Solana accounts that compressed accounts belong to', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.empty());
  afterAll(() => database.drop());

  const persist = (...slots: SlotChange[]) =>
    new ProjectionStore(database.dataSource).persistSlots({ slots, chainTip: null, position: null });
  const seedsOf = async (key: Pubkey) => {
    const rows = await database.dataSource.query<{ hash: Buffer }[]>(
      `SELECT hash FROM unspent_accounts WHERE onchain_digest = key_digest($1) ORDER BY hash`,
      [key],
    );
    return rows.map(({ hash }) => hash[0]);
  };

  it('list the account until it is spent, and again after the spend is reverted', async () => {
    await persist(slotUpdate(10, { created: [SPECIAL, ATA, NOT_A_TOKEN] }));
    expect([await seedsOf(KEY), await seedsOf(WALLET)]).toEqual([[1], [2]]);
    await persist(slotUpdate(11, { consumed: [consumedAccount(1, 71), consumedAccount(2, 71)] }));
    expect([await seedsOf(KEY), await seedsOf(WALLET)]).toEqual([[], []]);
    await persist({ reverted: { slot: toSlot(11), blockhash: testHash(11) } });
    expect([await seedsOf(KEY), await seedsOf(WALLET)]).toEqual([[1], [2]]);
    await expect(digestState(database.dataSource)).resolves.toContain('accounts ');
  });
});
