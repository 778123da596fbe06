import { asSlot, type Slot } from '@fresnel/domain/primitives';
import { ChainVersionError, MissingHistoryError } from './block-source';
import { RpcAnswerError, type SolanaRpc } from './solana-rpc';

export const COMMITMENT = { commitment: 'confirmed' };
/** Slots without a block, by a node's own word. */
export const SKIPPED = [-32007, -32009];
/** Blocks that a node does not have at present: it is behind, or they are on no branch that it knows to be confirmed. */
export const NOT_AVAILABLE = [-32004, -32014];
export const CLEANED_UP = -32001;
const VERSION_NOT_SUPPORTED = -32015;

/** What `getBlock` is asked. */
export interface BlockQuestion<Result> {
  slot: Slot;
  /** Frames come without transactions. */
  transactionDetails: 'full' | 'none';
  /** Reads the answer; what it throws for an answer that makes no sense counts as no answer. */
  parse: (result: unknown, json: string) => Result;
  /** Errors that the caller wants to know. */
  finalCodes?: readonly number[];
}

/**
 * Asks for one block until the node has it, or says why it never will.
 *
 * @throws ChainVersionError, MissingHistoryError where that is no final code, RpcAnswerError for final codes; the signal's
 * reason when it says stop
 */
export async function getBlock<Result>(
  rpc: SolanaRpc,
  { slot, transactionDetails, parse, finalCodes = [] }: BlockQuestion<Result>,
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
    return await rpc.call({ method: 'getBlock', params: [slot, config], parse, finalCodes: final }, signal);
  } catch (error) {
    if (!(error instanceof RpcAnswerError) || finalCodes.includes(error.rpcCode)) throw error;
    if (error.rpcCode === CLEANED_UP) throw new MissingHistoryError(`the node no longer has block ${slot}`);
    if (error.rpcCode !== VERSION_NOT_SUPPORTED) throw error;
    throw new ChainVersionError(`block ${slot} holds a transaction version that this Fresnel does not know: update it`);
  }
}

/** Newest confirmed slot, by the node's word of this moment. */
export function getTip(rpc: SolanaRpc, signal: AbortSignal): Promise<Slot> {
  return rpc.call({ method: 'getSlot', params: [COMMITMENT], parse: asSlot }, signal);
}
