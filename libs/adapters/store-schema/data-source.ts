import { DataSource } from 'typeorm';
import { AccountEntity } from './entities/account.entity';
import {
  AddressTreeElementEntity,
  AddressTreeEntity,
  AddressTreePageEntity,
  AddressTreeStateEntity,
  QueuedAddressEntity,
} from './entities/address-tree.entity';
import { BlockEntity } from './entities/block.entity';
import { IndexerStateEntity } from './entities/indexer-state.entity';
import { OwnerSignatureEntity, TokenOwnerSignatureEntity } from './entities/owner-signature.entity';
import { PositionEntity } from './entities/position.entity';
import { TokenHolderEntity } from './entities/token-holder.entity';
import { ParkedTransactionEntity, TransactionEntity } from './entities/transaction.entity';
import { TreeEntity } from './entities/tree.entity';
import { CreateChainPosition1760000000000 } from './migrations/1760000000000-create-chain-position';
import { CreateAccounts1760000001000 } from './migrations/1760000001000-create-accounts';
import { CreateTransactions1760000002000 } from './migrations/1760000002000-create-transactions';
import { CreateAddressTrees1760000003000 } from './migrations/1760000003000-create-address-trees';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Most connections at a time. */
  poolSize: number;
  /** What the database's list of sessions shows. */
  applicationName: string;
}

/** A way to the database with all entities and migrations; `initialize` connects. */
export function createDataSource({ url, poolSize, applicationName }: DatabaseOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    poolSize,
    applicationName,
    connectTimeoutMS: 10_000,
    entities: [
      AccountEntity,
      AddressTreeElementEntity,
      AddressTreeEntity,
      AddressTreePageEntity,
      AddressTreeStateEntity,
      BlockEntity,
      IndexerStateEntity,
      OwnerSignatureEntity,
      ParkedTransactionEntity,
      PositionEntity,
      QueuedAddressEntity,
      TokenHolderEntity,
      TokenOwnerSignatureEntity,
      TransactionEntity,
      TreeEntity,
    ],
    migrations: [
      CreateChainPosition1760000000000,
      CreateAccounts1760000001000,
      CreateTransactions1760000002000,
      CreateAddressTrees1760000003000,
    ],
    migrationsTransactionMode: 'all',
    logging: false,
  });
}

/**
 * Brings the schema up to date. Two at once are safe: the second waits for the first.
 *
 * @returns names of the migrations that ran
 */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query(`SELECT pg_advisory_lock(hashtext('fresnel-migrations'))`);
    const done = await dataSource.runMigrations();
    return done.map(({ name }) => name);
  } finally {
    await lock.query(`SELECT pg_advisory_unlock(hashtext('fresnel-migrations'))`).catch(() => undefined);
    await lock.release();
  }
}
