import {
  FresnelError,
  messageOf,
  parsePubkey,
  type Pubkey,
  type Slot,
  toBase58,
  toSlot,
} from '@fresnel/domain/primitives';
import { cleanEnv, makeValidator } from 'envalid';

/** Settings are wrong; the message lists every one that is, and why. */
export class ConfigError extends FresnelError {
  readonly code = 'config';
  readonly isRetryable = false;
}

/** A public key in base58. */
export const pubkey = makeValidator<Pubkey>((text) => parsePubkey(text));

/** A slot number. */
export const slot = makeValidator<Slot>((text) => toSlot(parseInteger(text, 0, Number.MAX_SAFE_INTEGER)));

/** `true` or `false`, nothing else: a typo must not become a default. */
export const flag = makeValidator<boolean>((text) => {
  if (text !== 'true' && text !== 'false') throw new Error('say true or false');
  return text === 'true';
});

/** A whole number within bounds. */
export function integer(least: number, most: number) {
  return makeValidator<number>((text) => parseInteger(text, least, most));
}

/** An address with one of these protocols, such as `https:`. */
export function address(...protocols: string[]) {
  return makeValidator<string>((text) => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      throw new Error(`an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    }
    return text;
  });
}

/** One of a few words. */
export function oneOf<Word extends string>(words: readonly Word[]) {
  return makeValidator<Word>((text) => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`one of ${words.join(', ')}`);
    return found;
  });
}

export const text = makeValidator<string>((value) => value);

function parseInteger(value: string, least: number, most: number): number {
  const number = /^-?\d+$/.test(value) ? Number(value) : NaN;
  if (Number.isNaN(number) || number < least || number > most) {
    throw new Error(`a whole number from ${least} to ${most}`);
  }
  return number;
}

/** This process's environment with some variables set anew: what a process that it starts should see. */
export function forwardEnv(variables: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...variables };
}

/** What --help and the documentation say of a setting. */
export interface ConfigVariable {
  desc?: string;
  /** In words, where the default follows from other variables. */
  defaultInWords?: string;
  default?: string | number | boolean | Buffer;
}

type Schema = Parameters<typeof cleanEnv>[1];

/**
 * Reads config from the environment, the only place in the project that does. An empty variable counts as not set.
 *
 * @throws ConfigError that lists all problems together
 */
export function readConfig<S extends Schema>(schema: S): ReturnType<typeof cleanEnv<S>> {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  return cleanEnv(given, schema, {
    reporter: ({ errors }) => {
      const problems = Object.entries(errors).map(([name, error]) => `  ${name}: ${messageOf(error)}`);
      if (problems.length > 0) throw new ConfigError(`invalid configuration:\n${problems.join('\n')}`);
    },
  });
}

/** A paragraph for each setting: name, sentence, default. */
export function describeConfig(schema: Record<string, ConfigVariable>): string {
  const width = Math.max(...Object.keys(schema).map((name) => name.length));
  const lines = Object.entries(schema).map(([name, setting]) => {
    return `  ${name.padEnd(width)}  ${setting.desc ?? ''} [${describeDefault(setting)}]`;
  });
  return lines.join('\n');
}

export function describeDefault({ defaultInWords, default: value }: ConfigVariable): string {
  if (defaultInWords !== undefined) return defaultInWords;
  if (value === undefined) return 'none';
  return Buffer.isBuffer(value) ? toBase58(value) : String(value);
}
