import { AddressExistsError, TreeNotServableError, UnknownTreeError } from '@fresnel/adapters/prover-client';
import { NothingIndexedError } from '@fresnel/adapters/store-read';
import { InvalidParamsError, RPC_ERRORS } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { IndexerUnhealthyError } from '../health/indexer-unhealthy.error';
import { INTERNAL_ERROR, type RpcFailure, stateRefused } from './rpc-failure';

/** What a caller is told about something that a method threw. */
export function failureOf(error: unknown): RpcFailure {
  if (error instanceof InvalidParamsError) return { kind: RPC_ERRORS.invalidParams, message: error.message };
  if (error instanceof AddressExistsError) return stateRefused(`Address ${toBase58(error.address)} already exists`);
  if (error instanceof UnknownTreeError) return stateRefused(`Address tree ${toBase58(error.tree)} is not known`);
  if (
    error instanceof TreeNotServableError ||
    error instanceof NothingIndexedError ||
    error instanceof IndexerUnhealthyError
  ) {
    return stateRefused(error.message);
  }
  return INTERNAL_ERROR;
}
