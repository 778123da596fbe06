import { asSlot, type Slot } from '@fresnel/domain/primitives';
import { ChainVersionError, MissingHistoryError } from './block-source';
import { type AnswerReader, type ResultReader, RpcAnswerError } from './rpc-answer';
import { type SolanaRpc } from './solana-rpc';

export const COMMITMENT = { commitment: 'confirmed' };
/** Error codes for a skipped slot. */
export const SKIPPED = [-32007, -32009];
const CLEANED_UP = -32001;
const VERSION_NOT_SUPPORTED = -32015;

/** One `getBlock` request. */
export type BlockRequest<Result> = (ResultReader<Result> | AnswerReader<Result>) & BlockRequestOptions;

interface BlockRequestOptions {
  slot: Slot;
  /** `none`: the result has only the header of the block. */
  transactionDetails: 'full' | 'none';
  /** JSON-RPC error codes that are thrown instead of retried. */
  finalCodes?: readonly number[];
  /** How long failed attempts are retried. Default: until the signal aborts. */
  retryForMs?: number;
}

/**
 * Requests one block until the node returns it or a permanent error, or time is up.
 *
 * @throws ChainVersionError; MissingHistoryError, unless its code is among the final codes; RpcAnswerError for final
 * codes; RpcUnavailableError; the signal's reason when it aborts
 */
export async function getBlock<Result>(
  rpc: SolanaRpc,
  { slot, transactionDetails, finalCodes = [], retryForMs, ...reader }: BlockRequest<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const config = {
    ...COMMITMENT,
    encoding: 'base64',
    transactionDetails,
    rewards: false,
    maxSupportedTransactionVersion: 1,
  };
  const final = [...finalCodes, CLEANED_UP, VERSION_NOT_SUPPORTED];
  try {
    const call = { method: 'getBlock', params: [slot, config], finalCodes: final, retryForMs, ...reader };
    return await rpc.call(call, signal);
  } catch (error) {
    if (!(error instanceof RpcAnswerError) || finalCodes.includes(error.rpcCode)) throw error;
    if (error.rpcCode === CLEANED_UP) throw new MissingHistoryError(`the node no longer has block ${slot}`);
    if (error.rpcCode !== VERSION_NOT_SUPPORTED) throw error;
    throw new ChainVersionError(
      `block ${slot} contains a transaction version that this version of Fresnel cannot parse: update Fresnel`,
    );
  }
}

/** The newest confirmed slot that the node reports. */
export function getTip(rpc: SolanaRpc, signal: AbortSignal): Promise<Slot> {
  return rpc.call({ method: 'getSlot', params: [COMMITMENT], parse: asSlot }, signal);
}
