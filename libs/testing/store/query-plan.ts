import { READ_SETTINGS } from '@fresnel/adapters/store-read';
import { type DataSource } from 'typeorm';

/** How the planner reads the tables. */
export interface QueryPlan {
  /** Names of the indexes that the plan uses, sorted, without duplicates. */
  indexes: string[];
  /** Those of the indexes whose rows are filtered after they were read. */
  filteredIndexes: string[];
  /** Tables that are scanned sequentially, sorted, without duplicates. */
  scannedTables: string[];
  /** Whether all matching rows must be read before the first row of a page is known. */
  sortsBeforeLimit: boolean;
}

type PlainValue = Buffer | bigint | number;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Filter?: string;
  Plans?: PlanNode[];
}

/**
 * Explains a prepared statement of a reader with both plans that Postgres can use: `first` is the custom plan for the given
 * values, `later` the generic plan for any values, which readers use.
 */
export async function explainStatement(
  dataSource: DataSource,
  { name, text }: { name: string; text: string },
  values: readonly (PlainValue | readonly PlainValue[])[],
): Promise<{ first: QueryPlan; later: QueryPlan }> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    for (const [name, value] of Object.entries(READ_SETTINGS)) await runner.query(`SET LOCAL ${name} = '${value}'`);
    await runner.query(`PREPARE "${name}" AS ${text}`);
    const explain = async (mode: 'custom' | 'generic'): Promise<QueryPlan> => {
      await runner.query(`SET LOCAL plan_cache_mode = force_${mode}_plan`);
      const parameters = values.length > 0 ? `(${values.map(toLiteral).join(', ')})` : '';
      const rows = (await runner.query(`EXPLAIN (FORMAT JSON) EXECUTE "${name}" ${parameters}`)) as {
        'QUERY PLAN': [{ Plan: PlanNode }];
      }[];
      return summarize(rows[0]['QUERY PLAN'][0].Plan);
    };
    return { first: await explain('custom'), later: await explain('generic') };
  } finally {
    await runner.query(`DEALLOCATE ALL`).catch(() => undefined);
    await runner.rollbackTransaction();
    await runner.release();
  }
}

function toLiteral(value: PlainValue | readonly PlainValue[]): string {
  if (!isList(value)) return `'${toText(value)}'`;
  return `'{${value.map((item) => `"${toText(item).replace('\\', '\\\\')}"`).join(',')}}'`;
}

function isList(value: PlainValue | readonly PlainValue[]): value is readonly PlainValue[] {
  return Array.isArray(value);
}

function toText(value: PlainValue): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : `${value}`;
}

function summarize(root: PlanNode): QueryPlan {
  const nodes = flatten(root);
  const ofType = (type: string) => nodes.filter((node) => node['Node Type'] === type);
  const belowLimits = ofType('Limit').flatMap(flatten);
  return {
    indexes: distinct(nodes.map((node) => node['Index Name'])),
    filteredIndexes: distinct(nodes.map((node) => (node.Filter ? node['Index Name'] : undefined))),
    scannedTables: distinct(ofType('Seq Scan').map((node) => node['Relation Name'])),
    sortsBeforeLimit: belowLimits.some((node) => node['Node Type'].endsWith('Sort')),
  };
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

function distinct(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}
