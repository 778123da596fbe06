import { type Static, type TSchema } from 'typebox';
import { type Cost } from './cost';
import { type RpcErrorName } from './rpc-errors';

/** The contract of one JSON-RPC method. */
export interface MethodContract<Params, Result extends TSchema> {
  readonly name: string;
  /** Whether it is called over a WebSocket, and not by POST. */
  readonly isOverWebSocket?: boolean;
  /** One sentence for the API documentation: what the result is. */
  readonly summary: string;
  /** What the summary and the schemas do not say. */
  readonly description?: string;
  /** Schema of `params`. */
  readonly params: TSchema;
  /** Names for the items of `params` if it is an array, for documentation. The last one stands for the rest of the array. */
  readonly positions?: readonly string[];
  /** Whether `params` may be absent. */
  readonly isParamsOptional?: boolean;
  /** Checks and converts `params`. @throws InvalidParamsError */
  readonly parseParams: (params: unknown) => Params;
  /** Schema of `result`: these members and no others. */
  readonly result: Result;
  /** Points of a call. */
  readonly cost: Cost;
  /** Errors that only this method returns, and when. */
  readonly errors: readonly MethodError[];
  readonly example: { readonly params: unknown; readonly result: Static<Result> };
}

export interface MethodError {
  readonly kind: RpcErrorName;
  /** The condition, as part of a sentence. */
  readonly when: string;
}

/** A contract in a list, without the type of its params. */
export type AnyMethodContract = Omit<MethodContract<unknown, TSchema>, 'parseParams'>;

/** Returns the contract. The compiler infers the type parameters from it. */
export function defineContract<Params, Result extends TSchema>(
  contract: MethodContract<Params, Result>,
): MethodContract<Params, Result> {
  return contract;
}

export const NOTHING_INDEXED: MethodError = { kind: 'stateError', when: 'nothing is indexed yet' };
