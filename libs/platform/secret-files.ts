import { readFileSync } from 'node:fs';
import { messageOf } from '@fresnel/domain/primitives';

/** The documentation of a variable that may be a secret. */
interface MaybeSecret {
  isSecret?: boolean;
}

/** Environment variables, and what is wrong with the files of secrets by the name of the variable that names the file. */
export interface SecretFileResult {
  env: NodeJS.ProcessEnv;
  problems: Map<string, string>;
}

/** Marks a variable as secret: its value can also be in a file, which `<NAME>_FILE` names. */
export function secret<Variable extends object>(variable: Variable): Variable & { isSecret: true } {
  return { ...variable, isSecret: true };
}

/** @returns the names of the secret variables of a schema */
export function secretNames(schema: Record<string, MaybeSecret>): string[] {
  return Object.keys(schema).filter((name) => schema[name].isSecret);
}

/** @returns the name of the variable that names the file with the value of a secret */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`;
}

/** Sets the secret variables whose values are in files. A line break at the end of a file is not part of the value. */
export function readSecretFiles(schema: Record<string, MaybeSecret>, env: NodeJS.ProcessEnv): SecretFileResult {
  const result: SecretFileResult = { env: { ...env }, problems: new Map() };
  for (const name of secretNames(schema)) {
    const fileVariable = fileVariableOf(name);
    const path = env[fileVariable];
    if (path === undefined) continue;
    try {
      if (env[name] !== undefined) throw new Error(`${name} is set, too; set one of them`);
      result.env[name] = readValue(path);
    } catch (error) {
      result.problems.set(fileVariable, messageOf(error));
    }
  }
  return result;
}

function readValue(path: string): string {
  const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (value === '') throw new Error(`the file ${path} is empty`);
  return value;
}
