import {
  CHAIN_CONFIG,
  CONSUMER_CONFIG,
  DATABASE_CONFIG,
  DEMO_CONFIG,
  FOLLOW_CONFIG,
  INGEST_CONFIG,
  KAFKA_CONFIG,
  PROVER_ADDRESS_CONFIG,
  PROVER_TLS_CONFIG,
  READ_DATABASE_CONFIG,
  REDIS_CONFIG,
  REDIS_READ_CONFIG,
  REDIS_TREES_CONFIG,
  TOPIC_CONFIG,
  TREE_CONFIG,
  VALIDITY_PROVER_CONFIG,
  WORKER_CONFIG,
} from '@fresnel/config';
import { GATEWAY_CONFIG } from '@fresnel/features/gateway';
import { PROVER_CONFIG } from '@fresnel/features/prover';
import {
  type ConfigSchema,
  type ConfigVariable,
  describeDefault,
  DRAIN_CONFIG,
  HEALTH_CONFIG,
  secretNames,
  SERVICE_CONFIG,
  TRACING_CONFIG,
} from '@fresnel/platform';
import { APP_CONFIG as GATEWAY } from '../../../apps/gateway/app.config';
import { APP_CONFIG as INGEST } from '../../../apps/ingest/app.config';
import { APP_CONFIG as MIGRATE } from '../../../apps/migrate/app.config';
import { APP_CONFIG as PROJECTOR } from '../../../apps/projector/app.config';
import { APP_CONFIG as PROVER } from '../../../apps/prover/app.config';
import { APP_CONFIG as STACK } from '../../../apps/stack/app.config';
import { APP_CONFIG as STANDALONE } from '../../../apps/standalone/app.config';
import { code, markdownTable } from './markdown-table';

/** Every process, by the name that the page has for it. */
export const PROCESSES: Record<string, ConfigSchema> = {
  start: STANDALONE,
  stack: STACK,
  ingest: INGEST,
  projector: PROJECTOR,
  prover: PROVER,
  gateway: GATEWAY,
  migrate: MIGRATE,
};

const NAMES_OF_ALL = Object.keys(PROCESSES);

/** The sections of the page. A schema gives names and their order only: the processes have descriptions and defaults. */
const SECTIONS: readonly { heading: string; schema: ConfigSchema }[] = [
  { heading: 'The chain', schema: { ...CHAIN_CONFIG, ...DEMO_CONFIG, ...INGEST_CONFIG, ...FOLLOW_CONFIG } },
  { heading: 'Requests', schema: GATEWAY_CONFIG },
  {
    heading: 'Trees and proofs',
    schema: {
      ...TREE_CONFIG,
      ...PROVER_CONFIG,
      ...PROVER_ADDRESS_CONFIG,
      ...PROVER_TLS_CONFIG,
      ...VALIDITY_PROVER_CONFIG,
      ...WORKER_CONFIG,
    },
  },
  {
    heading: 'Postgres',
    schema: {
      FRESNEL_DATA_DIR: STANDALONE.FRESNEL_DATA_DIR,
      ...DATABASE_CONFIG,
      ...READ_DATABASE_CONFIG,
    },
  },
  { heading: 'Kafka', schema: { ...KAFKA_CONFIG, ...CONSUMER_CONFIG, ...TOPIC_CONFIG } },
  { heading: 'Redis', schema: { ...REDIS_CONFIG, ...REDIS_READ_CONFIG, ...REDIS_TREES_CONFIG } },
  {
    heading: 'Health, logs and traces',
    schema: { ...HEALTH_CONFIG, ...DRAIN_CONFIG, ...SERVICE_CONFIG, ...TRACING_CONFIG },
  },
];

/** @returns `docs/configuration.md` */
export function writeConfigurationPage(): string {
  requireEverySection();
  const secrets = secretNames(Object.assign({}, ...Object.values(PROCESSES)) as ConfigSchema);
  const sections = SECTIONS.map(({ heading, schema }) => `## ${heading}\n\n${writeTable(Object.keys(schema))}`);
  return `${introduction(secrets)}\n${sections.join('\n')}`;
}

function introduction(secrets: readonly string[]): string {
  return `<!-- Written by "npm run docs:make" from the schemas of the apps. Do not edit. -->

# Configuration

Processes are configured by environment variables. A process that finds invalid values reports all of them and does not start. An empty
variable counts as not set. \`--help\` of a command or a service lists the variables that it reads.

_Read by_ names the processes: \`start\` is \`npm start\`, \`stack\` is \`npm run stack\`, which passes all variables on to the services that it
runs, and the others are services. A variable has several rows if its default differs.

Secrets can be in files instead: \`DATABASE_URL_FILE\` names a file with the value of \`DATABASE_URL\`, and likewise
${secrets
  .filter((name) => name !== 'DATABASE_URL')
  .map(code)
  .join(', ')}.

[Operations](operations.md) explains what the variables of the services are for.
`;
}

function writeTable(names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    return variantsOf(name).map(({ readers, desc, value }) => [code(name), readers, desc, value]);
  });
  return markdownTable(['Name', 'Read by', 'Description', 'Default'], rows);
}

interface Variant {
  readers: string;
  desc: string;
  value: string;
}

/** What processes document about a variable, with the names of those that document the same. */
function variantsOf(name: string): Variant[] {
  const variants = new Map<string, { variable: ConfigVariable; readers: string[] }>();
  for (const [reader, schema] of Object.entries(PROCESSES)) {
    if (!(name in schema)) continue;
    const variable = schema[name];
    const key = JSON.stringify([variable.desc, describeDefault(variable)]);
    const variant = variants.get(key) ?? { variable, readers: [] };
    variant.readers.push(reader);
    variants.set(key, variant);
  }
  return [...variants.values()].map(({ variable, readers }) => ({
    readers: readers.length === NAMES_OF_ALL.length ? 'all' : readers.join(', '),
    desc: variable.desc ?? '',
    value: describeDefault(variable),
  }));
}

/** @throws Error for a variable that no section lists */
function requireEverySection(): void {
  const listed = new Set(SECTIONS.flatMap(({ schema }) => Object.keys(schema)));
  const missing = Object.values(PROCESSES)
    .flatMap((schema) => Object.keys(schema))
    .filter((name) => !listed.has(name));
  if (missing.length > 0) throw new Error(`no section of docs/configuration.md lists ${missing.join(', ')}`);
}
