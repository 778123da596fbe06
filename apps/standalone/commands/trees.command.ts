import { parseArgs } from 'node:util';
import { parsePubkey, type Pubkey, type Slot, toBase58, toSlot } from '@fresnel/domain/primitives';
import { type ConfigOf, createLogger, describeConfig, type Logger, loadConfig } from '@fresnel/platform';
import { type OperatorDatabase } from '../operator-database';
import { TREES_CONFIG } from '../operator.config';
import { type Command, UsageError } from './command';

export const treesCommand: Command = {
  name: 'trees',
  synopsis: 'rebuild|republish TREE, hand-over LOG',
  summary: 'rebuild a quarantined address tree, publish its operations again, or hand all trees over',
  help: `  rebuild TREE [--json]       compute the tree from its stored addresses, and compare its root with the chain
      --from-empty            start with the initial tree instead: all its operations are published again
      --without-node          do not compare the root if SOLANA_RPC_URL is not set
  republish TREE --from SLOT  have ingest publish the operations of a tree from a slot on again
  hand-over LOG               have provers compute the trees from another log, with the name that their error message shows
      --generation N          of this log; default: 1

"rebuild" replaces a quarantined tree in the database, in one transaction. Provers that write trees load it from there, and so does
"fresnel start". Proofs of the tree are refused until a running ingest has published the operations again that the tree has ignored.

"hand-over" is needed after a change of KAFKA_PREFIX, and when services and "fresnel start" take turns on a database. The trees stay as
they are. Before, end all provers of the log that they belong to: these can no longer store anything.

Environment variables:
${describeConfig(TREES_CONFIG, [
  'DATABASE_URL',
  'FRESNEL_DATA_DIR',
  'SOLANA_RPC_URL',
  'SOLANA_COMMITMENT',
  'WORKER_THREADS',
  'LOG_LEVEL',
])}`,
  async run([name, ...args]) {
    const act = actionOf(name, args);
    const config = loadConfig(TREES_CONFIG);
    const logger = createLogger(config.LOG_LEVEL);
    const { openOperatorDatabase } = await import('../operator-database.js');
    const database = await openOperatorDatabase(config, logger);
    try {
      process.stdout.write(await act({ database, config, logger }));
    } finally {
      await database.close();
    }
    return 0;
  },
};

interface Context {
  database: OperatorDatabase;
  config: ConfigOf<typeof TREES_CONFIG>;
  logger: Logger;
}

/** @returns the text to print */
type Action = (context: Context) => Promise<string>;

function actionOf(name: string | undefined, args: string[]): Action {
  if (name === 'rebuild') return parseRebuild(args);
  if (name === 'republish') return parseRepublish(args);
  if (name === 'hand-over') return parseHandOver(args);
  throw new UsageError('trees requires one of rebuild, republish and hand-over');
}

function parseRebuild(args: string[]): Action {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      'from-empty': { type: 'boolean', default: false },
      'without-node': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const tree = toTree(positionals);
  const fromEmpty = values['from-empty'];
  return async ({ database, config, logger }) => {
    if (config.SOLANA_RPC_URL === undefined && !values['without-node'] && !fromEmpty) {
      throw new UsageError(
        'SOLANA_RPC_URL is not set: set it, or skip the comparison with the chain by --without-node',
      );
    }
    const { describeRebuild, rebuildQuarantinedTree } = await import('@fresnel/features/operations');
    const { withRebuildSources } = await import('../rebuild-sources.js');
    const rebuild = await withRebuildSources(database, config, logger, (sources) =>
      rebuildQuarantinedTree(tree, { fromEmpty }, sources),
    );
    return values.json ? `${JSON.stringify(rebuild, null, 2)}\n` : describeRebuild(rebuild);
  };
}

function parseRepublish(args: string[]): Action {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { from: { type: 'string' } } });
  const tree = toTree(positionals);
  const from = toFromSlot(values.from);
  return async ({ database }) => {
    const { TreeRepublications } = await import('@fresnel/adapters/tree-store');
    await new TreeRepublications(database.dataSource.manager).request([tree], from);
    return `a running ingest publishes the operations of ${toBase58(tree)} again, from slot ${from} on\n`;
  };
}

function parseHandOver(args: string[]): Action {
  const options = { generation: { type: 'string', default: '1' } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (positionals.length !== 1) throw new UsageError('trees hand-over requires one LOG');
  const [topic] = positionals;
  const generation = /^\d{1,9}$/.test(values.generation) ? Number(values.generation) : 0;
  if (generation === 0) throw new UsageError(`--generation ${values.generation} is not a number above 0`);
  return async ({ database }) => {
    const { handOverTrees } = await import('@fresnel/adapters/tree-store');
    await handOverTrees(database.dataSource.manager, { topic, generation });
    return `the trees belong to ${topic} (generation ${generation})\n`;
  };
}

function toTree(positionals: readonly string[]): Pubkey {
  if (positionals.length !== 1) throw new UsageError('trees rebuild and trees republish require one TREE');
  try {
    return parsePubkey(positionals[0]);
  } catch {
    throw new UsageError(`${positionals[0]} is not the address of a tree`);
  }
}

function toFromSlot(text: string | undefined): Slot {
  if (text === undefined) throw new UsageError('trees republish requires --from SLOT');
  const slot = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(slot)) throw new UsageError(`--from ${text} is not a slot`);
  return toSlot(slot);
}
