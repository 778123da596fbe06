import { type ProverClient } from '@fresnel/adapters/prover-client';
import { type Reader } from '@fresnel/adapters/store-read';
import { type MethodContract } from '@fresnel/contracts/rpc';
import { type Static, type TSchema } from 'typebox';
import { type GatewayOptions } from '../gateway.options';
import { compileSerializer } from '../rpc/compile-serializer';

/** What methods answer from. */
export interface Sources {
  reader: Reader;
  prover: ProverClient;
  options: GatewayOptions;
}

/** A method that can be called. */
export interface RpcMethod {
  name: string;
  /** Points that a call costs. @param params as sent, not looked at yet */
  pointsOf(params: unknown): number;
  /** @param params as sent @returns the result as JSON text */
  answer(params: unknown, sources: Sources): Promise<string>;
}

/** Joins a contract with the way to its result. */
export function defineMethod<Params, Result extends TSchema>(
  contract: MethodContract<Params, Result>,
  find: (params: Params, sources: Sources) => Promise<Static<Result>>,
  pointsOf: RpcMethod['pointsOf'] = onePoint,
): RpcMethod {
  return defineTextMethod(contract, find, compileSerializer(contract.result), pointsOf);
}

/** The same for a result that is not written by its schema alone. */
export function defineTextMethod<Params, Found>(
  contract: MethodContract<Params, TSchema>,
  find: (params: Params, sources: Sources) => Promise<Found>,
  toText: (found: Found) => string,
  pointsOf: RpcMethod['pointsOf'] = onePoint,
): RpcMethod {
  return {
    name: contract.name,
    pointsOf,
    answer: async (params, sources) => toText(await find(contract.parseParams(params), sources)),
  };
}

function onePoint(): number {
  return 1;
}
