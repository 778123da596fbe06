import { createHash } from 'node:crypto';
import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { decodeBase58, encodeBase58, type Hash, type Pubkey, type Signature } from '@fresnel/domain/primitives';
import { type CreatedAccount, type TransactionAccounts } from '@fresnel/domain/state';
import { generateLedger } from '@fresnel/ledger-generator';
import { type Bench, type BenchMeasurement } from '@fresnel/testing/generic';
import { readGeneratedSlots } from '@fresnel/testing/ledger';
import { provideSharedServers } from '@fresnel/testing/servers';
import { slotUpdate, TEST_STATE_TREE } from '@fresnel/testing/slots';
import { createTestDatabase, type TestDatabase } from '@fresnel/testing/store';
import { ProjectionStore } from './projection-store';
import { type SlotUpdate } from './slot-batch';

const SLOTS = 5_000;
const TRANSFERS_PER_SLOT = 4;
const OWNERS = 1_000;
const BATCH = 100;
/** A V1 state tree, like most token accounts of mainnet have. */
const TREE = { ...TEST_STATE_TREE, type: 'stateV1' as const, height: 26 };

export const bench: Bench = {
  title: 'Size of the tables after token transfers',
  data: `${SLOTS * TRANSFERS_PER_SLOT} transfers, each with one input and two outputs, of one mint and ${OWNERS} owners; the JSON text of a transfer has about 3,500 characters`,
  unit: 'transfers',
  prepare: async () => {
    const stop = await provideSharedServers();
    const updates = transfers();
    return { ways: [{ name: 'all tables', run: () => store(updates), isOnce: true }], close: stop };
  },
};

const bytes = (name: string, seed: number, length: number) =>
  createHash('shake256', { outputLength: length }).update(`${name} ${seed}`).digest();

/** Transfer n spends the first output of transfer n - 1. Its second output is the change: it has the owner of the input. */
function transfers(): SlotUpdate[] {
  const templates = generateTemplates();
  return Array.from({ length: SLOTS }, (_, at) => {
    const created: CreatedAccount[] = [];
    const consumed: SlotUpdate['facts']['consumed'] = [];
    const transactions: TransactionAccounts[] = [];
    for (let index = 0; index < TRANSFERS_PER_SLOT; index++) {
      const number = at * TRANSFERS_PER_SLOT + index;
      const signature = bytes('signature', number, 64) as Signature;
      const spent = bytes('account', 2 * number - 2, 32) as Hash;
      const outputs = [number, number - 1].map((owner, at) => tokenAccount(2 * number + at, owner, signature));
      created.push(...outputs);
      consumed.push({ hash: spent, signature, nullification: null });
      const hashes = [signature, spent, ...outputs.map(({ hash }) => hash)];
      const transaction = { signature, index, events: [], json: templates[number % templates.length](hashes) };
      transactions.push({ transaction, consumed: [spent], created: outputs.map(({ hash }) => hash) });
    }
    return slotUpdate(10 + at, { created, consumed, transactions }, { ...linkOf(at), trees: [TREE] });
  });
}

/** The JSON text of a transfer with one input and two outputs that has these bytes in place of its own. */
type Template = (signatureAndHashes: readonly Buffer[]) => string;

function generateTemplates(): Template[] {
  const weights = { transferTokens: 1_000 };
  const ledger = generateLedger({ seed: 5, slots: 1_000, transactionsPerSlot: 6, weights });
  const transactions = readGeneratedSlots([...ledger]).flatMap((slot) => slot.transactions);
  return transactions.flatMap(({ signature, events, json }) => {
    const [event] = events;
    if (events.length !== 1 || event.kind !== 'transition') return [];
    if (event.inputs.length !== 1 || event.outputs.length !== 2) return [];
    const own = [signature, ...[...event.inputs, ...event.outputs].map(({ hash }) => hash)];
    return [(others: readonly Buffer[]) => replaceBytes(json, own, others)];
  });
}

/** Replaces bytes in the base58 and base64 strings of a transaction. */
function replaceBytes(json: string, before: readonly Buffer[], after: readonly Buffer[]): string {
  const replace = (bytes: Buffer) => {
    before.forEach((part, at) => {
      for (let found = bytes.indexOf(part); found >= 0; found = bytes.indexOf(part, found + 1))
        after[at].copy(bytes, found);
    });
    return bytes;
  };
  return json
    .replace(/(?<="data":")[1-9A-HJ-NP-Za-km-z]{40,}/g, (text) => encodeBase58(replace(decodeBase58(text))))
    .replace(/(?<=\[")[A-Za-z0-9+/=]{40,}/g, (text) => replace(Buffer.from(text, 'base64')).toString('base64'));
}

function linkOf(at: number) {
  return { blockhash: bytes('block', at, 32) as Hash, parentBlockhash: bytes('block', at - 1, 32) as Hash };
}

function tokenAccount(leafIndex: number, owner: number, signature: Signature): CreatedAccount {
  const token = {
    mint: bytes('mint', 0, 32) as Pubkey,
    owner: bytes('owner', ((owner + 1) * 7_919) % OWNERS, 32) as Pubkey,
    amount: 1_000_000_000n + BigInt(leafIndex),
    delegate: null,
    state: 'initialized' as const,
    tlv: null,
  };
  const amount = Buffer.alloc(8);
  amount.writeBigUInt64LE(token.amount);
  const data = {
    discriminator: Buffer.from('0200000000000000', 'hex'),
    bytes: Buffer.concat([token.mint, token.owner, amount, Buffer.alloc(3)]),
    dataHash: bytes('data', leafIndex, 32) as Hash,
  };
  return {
    hash: bytes('account', leafIndex, 32) as Hash,
    tree: TREE.tree,
    leafIndex,
    seq: BigInt(leafIndex),
    body: { owner: LIVE_PROGRAMS.compressedToken, lamports: 0n, address: null, data },
    token,
    ataOwner: null,
    onchainPubkey: null,
    signature,
  };
}

async function store(updates: readonly SlotUpdate[]): Promise<BenchMeasurement> {
  const database = await createTestDatabase();
  const projection = new ProjectionStore(database.dataSource);
  const startedAt = performance.now();
  for (let at = 0; at < updates.length; at += BATCH) {
    await projection.persistSlots({ slots: updates.slice(at, at + BATCH), chainTip: null, position: null });
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const details = await describeSizes(database);
  await database.drop();
  return { count: SLOTS * TRANSFERS_PER_SLOT, seconds, details };
}

/** Bytes a transfer by table with its indexes, largest first. */
async function describeSizes({ dataSource }: TestDatabase): Promise<string> {
  const rows = await dataSource.query<{ name: string; size: string; updates: string; hot: string }[]>(`
    SELECT relname AS name, pg_total_relation_size(relid) AS size, n_tup_upd AS updates, n_tup_hot_upd AS hot
    FROM pg_stat_user_tables WHERE pg_table_size(relid) > 100000 ORDER BY 2 DESC`);
  const perTransfer = (size: number) => Math.round(size / (SLOTS * TRANSFERS_PER_SLOT));
  const total = rows.reduce((sum, { size }) => sum + Number(size), 0);
  const parts = rows.map(
    ({ name, size, updates, hot }) => `${name} ${perTransfer(Number(size))} (${updates} updates, ${hot} HOT)`,
  );
  return `${perTransfer(total)} bytes a transfer: ${parts.join(', ')}`;
}
