import { type Hash, type Pubkey, toSlot } from '@fresnel/domain/primitives';
import { type CreatedAccount } from '@fresnel/domain/state';
import { consumedAccount, createdAccount, slotUpdate, testHash } from '@fresnel/testing/slots';
import { createTestDatabase, digestState, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotChange } from './slot-batch';

const [KEY, WALLET, PROGRAM] = [0x31, 0x32, 0x33].map((seed) => Buffer.alloc(32, seed) as Pubkey);
const DATA = { discriminator: Buffer.alloc(8, 1), bytes: Buffer.of(1), dataHash: testHash(0x34) };

const SPECIAL: CreatedAccount = { ...createdAccount(1, null, 70), onchainPubkey: KEY };
const ATA: CreatedAccount = { ...createdAccount(2, 5n, 70), ataOwner: WALLET };
/** Its event names a wallet, but it has no tokens. */
const NOT_A_TOKEN: CreatedAccount = { ...createdAccount(3, null, 70), ataOwner: WALLET };
const inProgram = (account: CreatedAccount, address: Hash | null, data: typeof DATA | null): CreatedAccount => ({
  ...account,
  body: { owner: PROGRAM, lamports: 0n, address, data },
});

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
  const programs = () => database.dataSource.query<object[]>(`SELECT program FROM address_programs`);

  it('list the account until it is spent, and again after the spend is reverted', async () => {
    await persist(slotUpdate(10, { created: [SPECIAL, ATA, NOT_A_TOKEN] }));
    expect([await seedsOf(KEY), await seedsOf(WALLET)]).toEqual([[1], [2]]);
    await persist(slotUpdate(11, { consumed: [consumedAccount(1, 71), consumedAccount(2, 71)] }));
    expect([await seedsOf(KEY), await seedsOf(WALLET)]).toEqual([[], []]);
    await persist({ reverted: { slot: toSlot(11), blockhash: testHash(11) } });
    expect([await seedsOf(KEY), await seedsOf(WALLET)]).toEqual([[1], [2]]);
    await expect(digestState(database.dataSource)).resolves.toContain('accounts ');
  });

  it.each([
    ['has an address and data', testHash(0x41), DATA, [{ program: PROGRAM }]],
    ['has no data, as those of wallets', testHash(0x41), null, []],
    ['has no address', null, DATA, []],
  ])('are looked for at addresses of a program if an account of it %s', async (_, address, data, expected) => {
    await persist(slotUpdate(10, { created: [inProgram(SPECIAL, address, data)] }));
    expect(await programs()).toEqual(expected);
    await persist(slotUpdate(11, { created: [inProgram(createdAccount(5, null, 71), address, data)] }));
    expect(await programs()).toEqual(expected);
  });
});
