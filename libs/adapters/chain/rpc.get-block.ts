import { type BlockLink } from '@fresnel/domain/chain';
import { MalformedBlockError, parseBlockTime, parseParentSlot } from '@fresnel/domain/events';
import {
  asFields,
  asSlot,
  asText,
  MalformedTextError,
  messageOf,
  parseHash,
  type Slot,
} from '@fresnel/domain/primitives';
import { ChainVersionError, MissingHistoryError } from './block-source';
import { type ResultParser, RpcAnswerError } from './rpc-answer';
import { CLEANED_UP, VERSION_NOT_SUPPORTED } from './rpc-refusals';
import { RpcUnavailableError, type SolanaRpc } from './solana-rpc';

const NOT_AVAILABLE = -32004;
/** Error codes of a node that has no block at a slot. Only links of other blocks show whether the chain has one. */
const NO_BLOCK = [-32007, -32009, NOT_AVAILABLE];
/** A node that has deleted a block does not contradict another one that has none. */
const FINAL_CODES = [[...NO_BLOCK, CLEANED_UP], [VERSION_NOT_SUPPORTED]];

/** One `getBlock` request. A result that is null is an answer without a block. */
export type BlockRequest<Result> = ResultParser<Result | null> & BlockRequestOptions;

interface BlockRequestOptions {
  slot: Slot;
  /** `none`: the result has only the header of the block. */
  transactionDetails: 'full' | 'none';
  /** Default: no limit. */
  maxAttempts?: number;
  /** How long failed attempts are retried. Default: until the signal aborts. */
  retryForMs?: number;
}

/** How long an endpoint that does not answer is waited for while another one has no block. */
const PATIENCE_MS = 2_000;

/** The header of a block. */
export interface BlockHeader extends BlockLink {
  /** Unix seconds; null if the node does not know it. */
  blockTime: number | null;
}

/**
 * Requests one block until the node returns it or a permanent error, or time is up.
 *
 * @returns null if no endpoint has a block at the slot
 * @throws ChainVersionError, MissingHistoryError once every endpoint has given the reason; RpcUnavailableError; the signal's
 * reason when it aborts
 */
export async function getBlock<Result>(
  rpc: SolanaRpc,
  { slot, transactionDetails, maxAttempts, retryForMs, ...reader }: BlockRequest<Result>,
  signal: AbortSignal,
): Promise<Result | null> {
  const config = {
    commitment: await rpc.findCommitment(),
    encoding: 'base64',
    transactionDetails,
    rewards: false,
    maxSupportedTransactionVersion: 1,
  };
  const call = { method: 'getBlock', params: [slot, config], finalCodes: FINAL_CODES, maxAttempts, retryForMs };
  try {
    return await rpc.call({ ...call, ...refusingNull(reader) }, signal);
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) throw error;
    if (NO_BLOCK.includes(error.rpcCode)) return null;
    if (error.rpcCode === CLEANED_UP) throw new MissingHistoryError(`the node no longer has block ${slot}`);
    if (error.rpcCode !== VERSION_NOT_SUPPORTED) throw error;
    throw new ChainVersionError(
      `block ${slot} contains a transaction version that this version of Fresnel cannot parse: update Fresnel`,
    );
  }
}

/**
 * Like `getBlock` without a limit, but an endpoint that does not answer is not waited for.
 *
 * @returns null if an endpoint has no block at the slot, and none that answers has one
 */
export async function getBlockIfAny<Result>(
  rpc: SolanaRpc,
  request: BlockRequest<Result>,
  signal: AbortSignal,
): Promise<Result | null> {
  for (;;) {
    try {
      return await getBlock(rpc, { ...request, retryForMs: PATIENCE_MS }, signal);
    } catch (error) {
      if (!(error instanceof RpcUnavailableError)) throw error;
      if (error.cause instanceof RpcAnswerError && NO_BLOCK.includes(error.cause.rpcCode)) return null;
    }
  }
}

/** A request for the header of a block. */
export function headerRequest(slot: Slot): BlockRequest<BlockHeader> {
  const parse = (result: unknown) => (result === null ? null : parseHeader(slot, result));
  return { slot, transactionDetails: 'none', parse };
}

/** Reads a `getBlock` result without transactions. @throws MalformedBlockError */
export function parseHeader(slot: Slot, result: unknown): BlockHeader {
  try {
    const { blockhash, parentSlot, previousBlockhash, blockTime } = asFields(result);
    return {
      slot,
      blockhash: parseHash(asText(blockhash)),
      parentSlot: parseParentSlot(parentSlot, slot),
      parentBlockhash: parseHash(asText(previousBlockhash)),
      blockTime: parseBlockTime(blockTime),
    };
  } catch (error) {
    if (!(error instanceof MalformedTextError)) throw error;
    throw new MalformedBlockError(`header of block ${slot}: ${messageOf(error)}`, { cause: error });
  }
}

/** The newest slot that the node reports at the commitment of the cluster. */
export async function getTip(rpc: SolanaRpc, signal: AbortSignal): Promise<Slot> {
  const commitment = await rpc.findCommitment();
  return rpc.call({ method: 'getSlot', params: [{ commitment }], parse: asSlot }, signal);
}

/** An answer of null counts as one that the block is not available: another endpoint may have it. */
function refusingNull<Result>(reader: ResultParser<Result | null>): ResultParser<Result> {
  if ('read' in reader) return { read: (result) => orNotAvailable(reader.read(result)) };
  return { parse: (result) => orNotAvailable(reader.parse(result)) };
}

function orNotAvailable<Result>(result: Result | null): Result {
  if (result === null) throw new RpcAnswerError(NOT_AVAILABLE, 'the block is null', 'null');
  return result;
}
