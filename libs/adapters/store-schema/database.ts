import { type DataSource } from 'typeorm';
import { findLogGeneration, findLogGenerations } from './log-generation.statement';
import { whileAvailable } from './outage';
import { createDataSource, type DatabaseOptions, initialize } from './data-source';
import { checkSchema } from './schema';

/** The database of a process that writes. It connects in `open`. */
export class Database {
  constructor(
    readonly dataSource: DataSource,
    readonly url: string,
  ) {}

  static create(options: DatabaseOptions): Database {
    return new Database(createDataSource(options), options.url);
  }

  /**
   * Connects, and checks that `migrate` has run. Can be called again after a failure.
   *
   * @throws StoreUnavailableError while the server is unreachable, SchemaBehindError, StorePermanentError
   */
  async open(): Promise<void> {
    if (!this.dataSource.isInitialized) await initialize(this.dataSource, this.url);
    await whileAvailable(() => checkSchema(this.dataSource));
  }

  /** @returns the generations of the logs that have others than the first one @throws StoreUnavailableError */
  findLogGenerations(): Promise<Map<string, number>> {
    return whileAvailable(() => findLogGenerations(this.dataSource.manager));
  }

  /** @returns the generation of a log @throws StoreUnavailableError */
  findLogGeneration(topic: string): Promise<number> {
    return whileAvailable(() => findLogGeneration(this.dataSource.manager, topic));
  }

  /** @returns the reasons why the database cannot be used; empty if it can @throws the error of the query */
  async findFaults(): Promise<string[]> {
    if (!this.dataSource.isInitialized) return ['No connection to the database yet'];
    await this.dataSource.query('SELECT 1');
    return [];
  }

  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
