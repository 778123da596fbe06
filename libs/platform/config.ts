import { readFileSync } from 'node:fs';
import {
  FresnelError,
  messageOf,
  parsePubkey,
  type Pubkey,
  type Slot,
  toBase58,
  toSlot,
} from '@fresnel/domain/primitives';
import {
  cleanEnv,
  EnvMissingError,
  makeValidator,
  type OptionalValidatorSpec,
  type RequiredValidatorSpec,
} from 'envalid';
import { registerSecret } from './redaction';
import { parseUrl, splitService } from './urls';
import { fileVariableOf, readSecretFiles, secretNames } from './secret-files';

/** Injection token of the application's config, an object of the type `ConfigOf<typeof SCHEMA>`. */
export const CONFIG = Symbol('Config');

/** Environment variables are missing or invalid. The message lists all of them, each with the reason. */
export class ConfigError extends FresnelError {
  readonly code = 'config';
  readonly isRetryable = false;
}

/** A public key in base58. */
export const pubkey = makeValidator<Pubkey>((text) => parsePubkey(text));

/** A slot number. */
export const slot = makeValidator<Slot>((text) => toSlot(parseInteger(text, 0, Number.MAX_SAFE_INTEGER)));

/** `true` or `false`. Other spellings are errors, so that a typo does not become the default. */
export const flag = makeValidator<boolean>((text) => {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
});

/** An integer from `min` to `max`, both included. */
export function integer(min: number, max: number) {
  return makeValidator<number>((text) => parseInteger(text, min, max));
}

/** A URL with one of these protocols, such as `https:`. */
export function address(...protocols: string[]) {
  return makeValidator<string>((value) => {
    // A file of variables may end its lines with a carriage return. Drivers do not ignore white space, as `URL` does.
    const text = value.trim();
    requireUrl(text, protocols);
    return text;
  });
}

/** URLs with one of these protocols, separated by commas. A protocol may have a service before it, see `splitService`. */
export function addresses(...protocols: string[]) {
  return makeValidator<string[]>((text) => {
    const urls = text.split(',').map((url) => url.trim());
    for (const url of urls) requireUrl(url, protocols);
    return urls;
  });
}

/** The URL of a server alone. What else a URL can have would not reach the server. */
export function serverAddress(...protocols: string[]) {
  return makeValidator<string>((value) => {
    const text = value.trim();
    const { username, password, pathname, search } = requireUrl(text, protocols);
    const isServer = username === '' && password === '' && /^\/?$/.test(pathname) && search === '';
    if (!isServer) throw new Error('must be the URL of a server alone, without a login, a path or a query');
    return text;
  });
}

function requireUrl(text: string, protocols: readonly string[]): URL {
  const { service, url: called } = splitService(text);
  const url = parseUrl(called);
  const starts = protocols.map((protocol) => `${protocol}//`);
  if (!url && starts.some((start) => text.startsWith(start))) {
    throw new Error('must be a URL of one host; special characters in a login are percent-encoded');
  }
  if (!url || !protocols.includes(service === null ? url.protocol : `${service}+${url.protocol}`))
    throw new Error(`must be a URL that starts with ${starts.join(' or ')}`);
  if (DECODING_DRIVERS.test(url.protocol) && !isDecodable(url)) {
    throw new Error('must not contain a single "%": in a login it is %25');
  }
  if (url.host === '' && url.protocol.startsWith('redis')) throw new Error('must name a host, and no Unix socket');
  if (url.hash !== '') throw new Error('must not contain "#": in a login or a key it is %23');
  return url;
}

/** The drivers of these stores decode what others send as it is. */
const DECODING_DRIVERS = /^(postgres|redis)/;

function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** One of the given values. */
export function oneOf<Value extends string>(values: readonly Value[]) {
  return makeValidator<Value>((text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  });
}

/** Any text. */
export const text = makeValidator<string>((value) => value);

/** A host to listen on. An IPv6 address may be in brackets, as in a URL. */
export const host = makeValidator<string>((value) => value.replace(/^\[(.*)\]$/, '$1'));

/** The path of a text file; the value is the file's content. */
export const fileText = makeValidator<string>((path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(messageOf(error), { cause: error }); // envalid ignores an error that is not an instance of Error
  }
});

function parseInteger(value: string, min: number, max: number): number {
  const number = /^-?\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isNaN(number) || number < min || number > max) {
    throw new Error(`must be an integer from ${min} to ${max}`);
  }
  return number;
}

/** A copy of this process's environment with some variables replaced, for a child process. */
export function forwardEnv(variables: Record<string, string>): NodeJS.ProcessEnv {
  const filesOfReplaced = new Set(Object.keys(variables).map(fileVariableOf));
  const rest = Object.entries(process.env).filter(([name]) => !filesOfReplaced.has(name));
  return { ...Object.fromEntries(rest), ...variables };
}

/** The documentation of an environment variable. */
export interface ConfigVariable {
  desc?: string;
  /** Describes a default that depends on other variables. */
  defaultInWords?: string;
  default?: string | number | boolean | Buffer | string[];
  /** Whether the value can also be in a file, see `secret`. */
  isSecret?: boolean;
}

/** Validators by name of the environment variable. */
export type ConfigSchema = Record<string, ConfigVariable>;

/** The values that a schema yields. */
export type ConfigOf<Schema extends ConfigSchema> = ReturnType<typeof cleanEnv<Schema>>;

/** Makes a variable required. */
export function required<Value>(variable: OptionalValidatorSpec<Value>): RequiredValidatorSpec<Value> {
  const requiredVariable = { ...variable, defaultInWords: 'none, must be set' };
  delete requiredVariable.default;
  return requiredVariable;
}

/**
 * Makes a variable required if the other variables meet a condition.
 *
 * @param condition in words, for --help
 */
export function requiredIf<Variable extends ConfigVariable>(
  variable: Variable,
  condition: string,
  isRequired: (env: Record<string, unknown>) => boolean,
): Variable {
  return { ...variable, requiredWhen: isRequired, defaultInWords: `none, must be set ${condition}` };
}

/** The value of a variable that `requiredIf` made required. @throws ConfigError when it is not set */
export function requireSet<Value>(name: string, value: Value | undefined): Value {
  if (value === undefined) throw new ConfigError(`${name} must be set`);
  return value;
}

/**
 * Reads and checks environment variables. Nothing else in the project reads them. An empty variable counts as not set.
 *
 * @throws ConfigError that lists all problems
 */
export function readConfig<Schema extends ConfigSchema>(
  schema: Schema,
  env: NodeJS.ProcessEnv = process.env,
): ConfigOf<Schema> {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const withSecrets = readSecretFiles(schema, variables);
  // A user name may equal the name of a service or a topic, which logs have to contain.
  const confidential = secretNames(schema).filter((name) => !name.endsWith('_USERNAME'));
  for (const name of confidential) registerSecret(withSecrets.env[name] ?? '');
  const config = cleanEnv(withSecrets.env, schema, {
    reporter: ({ errors }) => {
      const problems = new Map(withSecrets.problems);
      for (const [name, error] of Object.entries(errors)) {
        if (!problems.has(fileVariableOf(name))) problems.set(name, describeProblem(error));
      }
      const lines = [...problems].map(([name, problem]) => `  ${name}: ${problem}`);
      if (lines.length > 0) throw new ConfigError(`invalid configuration:\n${lines.join('\n')}`);
    },
  });
  return { ...config }; // not envalid's proxy, which throws where Nest inspects a provider
}

const loaded = new WeakMap<ConfigSchema, object>();

/** The config of this process for a schema, read at the first call. @throws ConfigError */
export function loadConfig<Schema extends ConfigSchema>(schema: Schema): ConfigOf<Schema> {
  const config = loaded.get(schema) ?? readConfig(schema);
  loaded.set(schema, config);
  return config as ConfigOf<Schema>;
}

function describeProblem(error: unknown): string {
  return error instanceof EnvMissingError ? 'must be set' : messageOf(error);
}

/**
 * A line for each variable: name, description, default; then the variables that name files with secrets.
 *
 * @param names of the variables that are listed; all by default
 */
export function describeConfig<Schema extends ConfigSchema>(
  schema: Schema,
  names: readonly (keyof Schema & string)[] = Object.keys(schema),
): string {
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => {
    return `  ${name.padEnd(width)}  ${schema[name].desc ?? ''} [${describeDefault(schema[name])}]`;
  });
  const secrets = secretNames(schema);
  const files = names.filter((name) => secrets.includes(name)).map(fileVariableOf);
  if (files.length > 0)
    lines.push(`\nSecrets can be read from the files that these variables name: ${files.join(', ')}`);
  return lines.join('\n');
}

/** The default of a variable, as --help and docs/configuration.md show it. */
export function describeDefault({ defaultInWords, default: value }: ConfigVariable): string {
  if (defaultInWords !== undefined) return defaultInWords;
  if (value === undefined) return 'none';
  return Buffer.isBuffer(value) ? toBase58(value) : String(value);
}
