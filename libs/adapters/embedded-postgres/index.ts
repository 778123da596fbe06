export { EmbeddedPostgres } from './embedded-postgres';
export { EmbeddedPostgresError } from './errors';
