import { type Static, type TSchema } from 'typebox';
import { type RpcErrorName } from './rpc-errors';

/** What one JSON-RPC method promises. */
export interface MethodContract<Params, Result extends TSchema> {
  readonly name: string;
  /** One sentence: what a caller gets. */
  readonly summary: string;
  /** Facts that a caller cannot guess. */
  readonly description?: string;
  /** Shape of `params` as sent. */
  readonly params: TSchema;
  /** Whether `params` may be left out. */
  readonly isParamsOptional?: boolean;
  /** Reads `params` as sent. @throws InvalidParamsError */
  readonly parseParams: (params: unknown) => Params;
  /** Shape of `result` as answered: these members and no others. */
  readonly result: Result;
  /** Errors of this method besides those that every call can meet, and when they come. */
  readonly errors: readonly MethodError[];
  readonly example: { readonly params: unknown; readonly result: Static<Result> };
}

export interface MethodError {
  readonly kind: RpcErrorName;
  readonly when: string;
}

/** For lists of contracts, where the types of single methods do not matter. */
export type AnyMethodContract = Omit<MethodContract<unknown, TSchema>, 'parseParams'>;

/** Lets the compiler work out the types of a contract. */
export function defineContract<Params, Result extends TSchema>(
  contract: MethodContract<Params, Result>,
): MethodContract<Params, Result> {
  return contract;
}

export const NOTHING_INDEXED: MethodError = { kind: 'stateRefused', when: 'nothing is indexed yet' };
