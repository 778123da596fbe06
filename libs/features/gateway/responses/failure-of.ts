import { NodeAnswerTooLargeError, NodeError, NodeUnavailableError } from '@fresnel/adapters/chain';
import {
  AddressExistsError,
  QueueStartPassedError,
  TreeNotServableError,
  UnknownTreeError,
} from '@fresnel/adapters/prover-client';
import { NothingIndexedError, SignaturesNotRecordedError, TooManyAccountsError } from '@fresnel/adapters/store-read';
import { InvalidParamsError, RPC_ERRORS } from '@fresnel/contracts/rpc';
import { toBase58 } from '@fresnel/domain/primitives';
import { IndexerUnhealthyError } from './indexer-unhealthy.error';
import { MinContextSlotError } from './min-context-slot.error';
import { MethodNotFoundError } from './method-not-found.error';
import { INTERNAL_ERROR, METHOD_NOT_FOUND, NODE_UNAVAILABLE, type RpcFailure, stateError } from './rpc-failure';
import { CallStateError } from './call-state.error';
import { TransactionNotAvailableError } from './transaction-not-available.error';

/** Clients of Solana nodes look at these. */
const FORWARDED_STATUSES = [400, 429] as const;

/** Maps an error that a method threw to the error that the caller receives. Unknown errors become `INTERNAL_ERROR`. */
export function failureOf(error: unknown): RpcFailure {
  if (error instanceof InvalidParamsError) return { kind: RPC_ERRORS.invalidParams, message: error.message };
  if (error instanceof MinContextSlotError) {
    const { message, contextSlot } = error;
    return { kind: RPC_ERRORS.minContextSlotNotReached, message, data: { contextSlot } };
  }
  if (error instanceof NodeError) {
    const { rpcCode: code, json, message } = error;
    const httpStatus = FORWARDED_STATUSES.find((status) => status === error.httpStatus) ?? 200;
    return { kind: { code, httpStatus, meaning: message }, message, json };
  }
  if (error instanceof MethodNotFoundError) return METHOD_NOT_FOUND;
  if (error instanceof NodeUnavailableError) return NODE_UNAVAILABLE;
  if (error instanceof TransactionNotAvailableError) {
    return { ...INTERNAL_ERROR, data: { signature: error.signature } };
  }
  if (error instanceof AddressExistsError) return stateError(`Address ${toBase58(error.address)} already exists`);
  if (error instanceof UnknownTreeError) return stateError(`Tree ${toBase58(error.tree)} is not known`);
  if (
    error instanceof TreeNotServableError ||
    error instanceof QueueStartPassedError ||
    error instanceof NothingIndexedError ||
    error instanceof TooManyAccountsError ||
    error instanceof CallStateError ||
    error instanceof NodeAnswerTooLargeError ||
    error instanceof SignaturesNotRecordedError ||
    error instanceof IndexerUnhealthyError
  ) {
    return stateError(error.message);
  }
  return INTERNAL_ERROR;
}
