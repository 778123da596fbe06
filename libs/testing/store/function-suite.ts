import { type DataSource, type EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from './test-database';

type Value = Buffer | string | number | boolean | bigint | null;
type Row = Readonly<Record<string, Value>>;

/** A database with the current schema, which is empty before each test. */
export interface FunctionDatabase {
  query: DataSource['query'];
  transaction: (run: (manager: EntityManager) => Promise<void>) => Promise<void>;
  /** Inserts rows. Columns that a row does not name are null. */
  insert: (table: string, ...rows: Row[]) => Promise<void>;
  /** Calls a function that takes changes of accounts, and then `further` parameters. Columns without a value are null. */
  applyChanges: (name: string, changes: readonly Row[], ...further: readonly number[]) => Promise<void>;
  /** The values of the rows that a statement returns. Its columns have different names. */
  list: (sql: string, values?: unknown[]) => Promise<unknown[][]>;
}

/** Defines the tests of one function of the database. */
export function describeFunction(name: string, define: (database: FunctionDatabase) => void): void {
  describe(name, () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterEach(() => database.empty());
    afterAll(() => database.drop());

    const query = <Result>(sql: string, values?: unknown[]) => database.dataSource.query<Result>(sql, values);
    define({
      query,
      transaction: (run) => database.dataSource.transaction(run),
      insert: (table, ...rows) =>
        query(
          `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`,
          [toJson(rows)],
        ),
      applyChanges: (of, changes, ...further) => {
        const list = `ARRAY(SELECT c FROM jsonb_populate_recordset(NULL::account_change, $1) c)`;
        return query(`SELECT ${of}(${[list, ...further].join()})`, [toJson(changes)]);
      },
      list: async (sql, values) => (await query<object[]>(sql, values)).map((row) => Object.values(row) as unknown[]),
    });
  });
}

/** Bytes as Postgres reads them from text. */
function toJson(rows: readonly Row[]): string {
  const toText = (value: Value) =>
    Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : typeof value === 'bigint' ? String(value) : value;
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [column, toText(value)]))),
  );
}

/** A hash, or a key: 32 equal letters. In SQL, `left(encode(hash, 'escape'), 1)` is the letter. */
export function letterHash(letter: string): Buffer {
  return Buffer.alloc(32, letter);
}

/** The numbers of the trees of `insertStateTrees`. */
export const STATE_TREES = { v1: 1, v2: 2 } as const;

/** Inserts a V1 and a V2 state tree. */
export function insertStateTrees(database: FunctionDatabase): Promise<void> {
  const tree = (id: number, type: number) => ({
    id,
    tree: Buffer.of(id),
    queue: Buffer.of(id),
    tree_type: type,
    height: 26,
    root_history_capacity: 2_400,
  });
  return database.insert('trees', tree(STATE_TREES.v1, 1), tree(STATE_TREES.v2, 3));
}
