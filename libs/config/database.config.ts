import { address, integer, secret, text } from '@fresnel/platform';

/** The database of processes that write. */
export const DATABASE_CONFIG = {
  DATABASE_URL: {
    ...secret(
      address('postgres:', 'postgresql:')({ default: undefined, desc: 'Postgres database, version 15 or later' }),
    ),
    defaultInWords: 'an embedded Postgres in FRESNEL_DATA_DIR',
  },
  DATABASE_POOL_SIZE: integer(2, 100)({ default: 8, desc: 'Maximum number of connections for writes' }),
  DATABASE_WRITE_TIMEOUT_MS: integer(
    1_000,
    600_000,
  )({
    default: 30_000,
    desc: 'Time after which a statement of a process that writes is given up and retried, also if the server is silent',
  }),
};

/** Where servers that a process starts itself have their data. */
export const DATA_DIR_CONFIG = {
  FRESNEL_DATA_DIR: text({ default: undefined, desc: 'Data directory of the embedded Postgres' }),
};

/** The database of processes that only read. */
export const READ_DATABASE_CONFIG = {
  DATABASE_READ_URL: {
    ...secret(
      address(
        'postgres:',
        'postgresql:',
      )({ default: undefined, desc: 'Postgres database for reads: a read-only role, or a replica' }),
    ),
    defaultInWords: 'DATABASE_URL',
  },
};
