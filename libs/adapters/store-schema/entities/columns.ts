import { type EntitySchemaColumnOptions } from 'typeorm';

type ColumnType = 'bytea' | 'bigint' | 'integer' | 'smallint' | 'text' | 'boolean' | 'timestamptz';

export function column(type: ColumnType, name?: string): EntitySchemaColumnOptions {
  return { type, name };
}

export function nullable(type: ColumnType, name?: string): EntitySchemaColumnOptions {
  return { type, name, nullable: true };
}

/** A u64 of the chain. It arrives as text: neither bigint nor a number of JavaScript holds them all. */
export function u64(name?: string): EntitySchemaColumnOptions {
  return { type: 'numeric', precision: 20, scale: 0, name };
}

export function nullableU64(name?: string): EntitySchemaColumnOptions {
  return { ...u64(name), nullable: true };
}

/** Part of the primary key, whose constraint is called `pk_<table>`. */
export function key(options: EntitySchemaColumnOptions, table: string): EntitySchemaColumnOptions {
  return { ...options, primary: true, primaryKeyConstraintName: `pk_${table}` };
}
