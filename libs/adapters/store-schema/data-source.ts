import { FresnelError, messageOf } from '@fresnel/domain/primitives';
import { DataSource, QueryFailedError } from 'typeorm';
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
import { isOutage, sqlStateOf, StorePermanentError, StoreUnavailableError } from './outage';

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

/**
 * Connects to the database.
 *
 * @throws StoreUnavailableError while the server is unreachable, StorePermanentError if it rejects the connection; both name
 *   the server, without the password
 */
export async function connect(options: DatabaseOptions): Promise<DataSource> {
  const dataSource = createDataSource(options);
  await initialize(dataSource, options.url);
  return dataSource;
}

/** Connects a data source to its URL, see `connect`. Can be called again after a failure. */
export async function initialize(dataSource: DataSource, url: string): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (error) {
    const { host, pathname } = new URL(url);
    const ConnectError = isOutage(error) ? StoreUnavailableError : StorePermanentError;
    throw new ConnectError(`cannot connect to Postgres at ${host}${pathname}: ${messageOf(error)}`, { cause: error });
  }
}

/** Creates a data source with all entities and migrations. Nothing connects yet. */
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

/** Migrations are missing that this version relies on. */
export class SchemaBehindError extends FresnelError {
  readonly code = 'schema-behind';
  readonly isRetryable = false;
}

const NO_SUCH_TABLE = '42P01';

/** Those who do not migrate themselves check first. @throws SchemaBehindError */
export async function checkSchema(dataSource: DataSource): Promise<void> {
  const done = await dataSource.query<{ name: string }[]>(`SELECT name FROM migrations`).catch((error: unknown) => {
    if (error instanceof QueryFailedError && sqlStateOf(error.driverError) === NO_SUCH_TABLE) return [];
    throw error;
  });
  const names = new Set(done.map(({ name }) => name));
  const missing = dataSource.migrations.map(({ constructor }) => constructor.name).filter((name) => !names.has(name));
  if (missing.length === 0) return;
  throw new SchemaBehindError(`the schema lacks ${missing.join(', ')}: run the app "migrate" first`);
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
