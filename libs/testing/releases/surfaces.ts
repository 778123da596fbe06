import { join } from 'node:path';
import { createOpenApi, createOpenRpc } from '@fresnel/contracts/rpc';
import { PROCESSES } from '@fresnel/testing/docs';
import { findDefinedMetrics } from '@fresnel/testing/generic';
import { KUSTOMIZATIONS, type Manifest, renderManifests } from '@fresnel/testing/k8s';
import { readAlertRules, readDashboards } from '@fresnel/testing/monitoring';
import { COMMANDS } from '../../../apps/standalone/commands/commands';
import { type Breach } from './breach';
import { describeCommands } from './commands';
import { compareNames, type KeptNames } from './kept-names';
import { compareManifests } from './manifest-facts';
import { compareMetrics, describeMetrics, type Metrics } from './metrics';
import { compareOpenApi, type OpenApi } from './openapi';
import { compareOpenRpc, type OpenRpc } from './openrpc';
import { ROOT } from './released-files';
import { compareSchemaFiles, describeSchemaFiles, type SchemaFiles } from './schema-files';
import { compareSettings, describeSettings, type Settings } from './settings';

/** What a release promises of one kind. */
export interface Surface {
  /** What the sources have of it: a value of JSON. */
  describe: () => unknown;
  /** @param released what `describe` returned for the release */
  compare: (released: unknown) => Breach[];
  /** Whether a minor may retire it. */
  isRetirable: boolean;
}

function surface<Description>(
  describe: () => Description,
  compare: (released: Description, now: Description) => Breach[],
  { isRetirable = true } = {},
): Surface {
  return { describe, compare: (released) => compare(released as Description, describe()), isRetirable };
}

const FOR_ALL_OF_1 = { isRetirable: false };

function describeMonitoring(): KeptNames {
  return {
    alert: readAlertRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)),
    dashboard: [...readDashboards().values()].map(({ uid }) => uid),
  };
}

/** The files of a release that are compared without any other process. */
export const SURFACES: Readonly<Record<string, Surface>> = {
  'openapi.json': surface(() => createOpenApi() as unknown as OpenApi, compareOpenApi, FOR_ALL_OF_1),
  'openrpc.json': surface(() => createOpenRpc() as unknown as OpenRpc, compareOpenRpc, FOR_ALL_OF_1),
  'settings.json': surface<Settings>(() => describeSettings(PROCESSES), compareSettings),
  'commands.json': surface(() => describeCommands(COMMANDS), compareNames),
  'metrics.json': surface<Metrics>(() => describeMetrics(findDefinedMetrics(ROOT)), compareMetrics),
  'monitoring.json': surface(describeMonitoring, compareNames),
  'schema-files.json': surface<SchemaFiles>(() => describeSchemaFiles(ROOT), compareSchemaFiles, FOR_ALL_OF_1),
};

/** The rendered manifests of a release. Kustomize writes what they are compared with. */
export const MANIFESTS: Readonly<Record<string, Surface>> = Object.fromEntries(
  Object.entries({ base: join(ROOT, 'k8s', 'base'), ...KUSTOMIZATIONS }).map(([name, folder]) => [
    `manifests/${name}.json`,
    surface<Manifest[]>(() => renderManifests(folder), compareManifests),
  ]),
);
