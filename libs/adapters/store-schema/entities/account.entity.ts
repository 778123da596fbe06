import { EntitySchema } from 'typeorm';
import { column, key, nullable, nullableU64 } from './columns';

/** What is known of a compressed account so far; see the table's migration. */
export interface AccountRow {
  hash: Buffer;
  slotCreated: string | null;
  createdSignature: Buffer | null;
  tree: Buffer | null;
  leafIndex: string | null;
  seq: string | null;
  owner: Buffer | null;
  lamports: string | null;
  address: Buffer | null;
  discriminator: Buffer | null;
  data: Buffer | null;
  dataHash: Buffer | null;
  mint: Buffer | null;
  tokenOwner: Buffer | null;
  amount: string | null;
  delegate: Buffer | null;
  isFrozen: boolean | null;
  tlv: Buffer | null;
  ataOwner: Buffer | null;
  spentSlot: string | null;
  spentSignature: Buffer | null;
  txHash: Buffer | null;
  nullifier: Buffer | null;
  nullifierQueueIndex: string | null;
}

export const AccountEntity = new EntitySchema<AccountRow>({
  name: 'Account',
  tableName: 'accounts',
  columns: {
    hash: key(column('bytea'), 'accounts'),
    slotCreated: nullable('bigint', 'slot_created'),
    createdSignature: nullable('bytea', 'created_signature'),
    tree: nullable('bytea'),
    leafIndex: nullable('bigint', 'leaf_index'),
    seq: nullableU64(),
    owner: nullable('bytea'),
    lamports: nullableU64(),
    address: nullable('bytea'),
    discriminator: nullable('bytea'),
    data: nullable('bytea'),
    dataHash: nullable('bytea', 'data_hash'),
    mint: nullable('bytea'),
    tokenOwner: nullable('bytea', 'token_owner'),
    amount: nullableU64(),
    delegate: nullable('bytea'),
    isFrozen: nullable('boolean', 'is_frozen'),
    tlv: nullable('bytea'),
    ataOwner: nullable('bytea', 'ata_owner'),
    spentSlot: nullable('bigint', 'spent_slot'),
    spentSignature: nullable('bytea', 'spent_signature'),
    txHash: nullable('bytea', 'tx_hash'),
    nullifier: nullable('bytea'),
    nullifierQueueIndex: nullableU64('nullifier_queue_index'),
  },
  // A partial index with a descending column is beyond what an entity can say; the migration has it.
  indices: [{ name: 'idx_accounts_address', columns: ['address', 'slotCreated'], synchronize: false }],
});
