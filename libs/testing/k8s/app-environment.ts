import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigSchema, readConfig } from '@fresnel/platform';
import { APP_CONFIG as GATEWAY } from '../../../apps/gateway/app.config';
import { APP_CONFIG as INGEST } from '../../../apps/ingest/app.config';
import { APP_CONFIG as MIGRATE } from '../../../apps/migrate/app.config';
import { APP_CONFIG as PROJECTOR } from '../../../apps/projector/app.config';
import { APP_CONFIG as PROVER } from '../../../apps/prover/app.config';
import { APP_CONFIG as STANDALONE } from '../../../apps/standalone/app.config';
import { type Container, type Manifest } from './manifests';

/** Settings of the apps in the image, by the folder of the app. */
export const APP_SCHEMAS: Record<string, ConfigSchema> = {
  gateway: GATEWAY,
  ingest: INGEST,
  migrate: MIGRATE,
  projector: PROJECTOR,
  prover: PROVER,
  standalone: STANDALONE,
};

/** Samples of secrets that the apps accept. */
const SECRETS: Record<string, string> = {
  DATABASE_URL: 'postgres://user:password@host/database',
  REDIS_URL: 'redis://host',
  SOLANA_RPC_URL: 'https://host',
  HISTORY_URL: 'https://host',
  KAFKA_SASL_USERNAME: 'user',
  KAFKA_SASL_PASSWORD: 'password',
};

/**
 * The environment of a container, with samples in the files of secrets.
 *
 * @param manifests with its ConfigMaps
 * @param folder for the files of secrets
 */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  manifests: readonly Manifest[],
  folder: string,
): Record<string, string> {
  const maps = envFrom.map(({ configMapRef }) => configMapRef?.name);
  const shared = manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && maps.includes(metadata.name));
  const own = env.map(({ name, value = '' }) => {
    if (!value.startsWith('/run/secrets/')) return [name, value];
    const path = join(folder, name);
    writeFileSync(path, SECRETS[name.replace(/_FILE$/, '')] ?? 'sample');
    return [name, path];
  });
  return Object.fromEntries([...shared.flatMap(({ data = {} }) => Object.entries(data)), ...own]) as Record<
    string,
    string
  >;
}

/**
 * Reads the environment of a container as its app does.
 *
 * @returns undefined if it runs no app of the image
 * @throws ConfigError
 */
export function readAppConfig(
  container: Container,
  manifests: readonly Manifest[],
  folder: string,
): object | undefined {
  const app = /^dist\/apps\/(\w+)\/main\.js$/.exec(container.args?.[0] ?? '')?.[1];
  return app === undefined ? undefined : readConfig(APP_SCHEMAS[app], environmentOf(container, manifests, folder));
}
