import { DataSource } from 'typeorm';
import { AccountEntity } from './entities/account.entity';
import {
  AddressTreeBlocksEntity,
  AddressTreeElementEntity,
  AddressTreeEntity,
  AddressTreePageEntity,
  AddressTreeStateEntity,
  AddressTreeUndoEntity,
  QueuedAddressEntity,
} from './entities/address-tree.entity';
import { AbandonedBlockEntity, BlockEntity } from './entities/block.entity';
import { IndexerStateEntity } from './entities/indexer-state.entity';
import { OwnerSignatureEntity, TokenOwnerSignatureEntity } from './entities/owner-signature.entity';
import { PositionEntity } from './entities/position.entity';
import { TokenHolderEntity } from './entities/token-holder.entity';
import { ParkedTransactionEntity, TransactionEntity } from './entities/transaction.entity';
import { TreeAppendEntity, TreeEntity } from './entities/tree.entity';
import { CreateChainPosition1760000000000 } from './migrations/1760000000000-create-chain-position';
import { CreateAccounts1760000001000 } from './migrations/1760000001000-create-accounts';
import { CreateTransactions1760000002000 } from './migrations/1760000002000-create-transactions';
import { CreateAddressTrees1760000003000 } from './migrations/1760000003000-create-address-trees';
import { RememberForks1760000004000 } from './migrations/1760000004000-remember-forks';
import { UndoAddressTrees1760000005000 } from './migrations/1760000005000-undo-address-trees';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  /** Most connections at a time. */
  poolSize: number;
  /** What the database's list of sessions shows. */
  applicationName: string;
}

/**
 * A process that is frozen or cut off in the middle of a transaction keeps its rows locked, those that every writer needs
 * among them. Who has taken its work over waits this long for the server to end it; as long as the group has waited before.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** A way to the database with all entities and migrations; `initialize` connects. */
export function createDataSource({ url, poolSize, applicationName }: DatabaseOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    poolSize,
    applicationName,
    connectTimeoutMS: 10_000,
    extra: { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS },
    entities: [
      AbandonedBlockEntity,
      AccountEntity,
      AddressTreeBlocksEntity,
      AddressTreeElementEntity,
      AddressTreeEntity,
      AddressTreePageEntity,
      AddressTreeStateEntity,
      AddressTreeUndoEntity,
      BlockEntity,
      IndexerStateEntity,
      OwnerSignatureEntity,
      ParkedTransactionEntity,
      PositionEntity,
      QueuedAddressEntity,
      TokenHolderEntity,
      TokenOwnerSignatureEntity,
      TransactionEntity,
      TreeAppendEntity,
      TreeEntity,
    ],
    migrations: [
      CreateChainPosition1760000000000,
      CreateAccounts1760000001000,
      CreateTransactions1760000002000,
      CreateAddressTrees1760000003000,
      RememberForks1760000004000,
      UndoAddressTrees1760000005000,
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
