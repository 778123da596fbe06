import { address, integer } from '@fresnel/platform';

/** The database of those who write. */
export const DATABASE_CONFIG = {
  DATABASE_URL: {
    ...address('postgres:', 'postgresql:')({ default: undefined, desc: 'Postgres to use, version 15 or later' }),
    defaultInWords: 'an embedded one in FRESNEL_DATA_DIR',
  },
  DATABASE_POOL_SIZE: integer(2, 100)({ default: 8, desc: 'Connections for writing' }),
};

/** The database of those who only read. */
export const READ_DATABASE_CONFIG = {
  DATABASE_READ_URL: {
    ...address(
      'postgres:',
      'postgresql:',
    )({ default: undefined, desc: 'Postgres to read from: a role that may only read, or a replica' }),
    defaultInWords: 'DATABASE_URL',
  },
};
