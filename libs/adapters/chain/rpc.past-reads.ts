import {
  asFields,
  asNumber,
  asText,
  type Hash,
  parseHash,
  type Signature,
  type Slot,
  toBase58,
} from '@fresnel/domain/primitives';
import { RpcAnswerError } from './rpc-answer';
import { type SolanaRpc } from './solana-rpc';

/** The newest version that can be parsed. */
const MAX_TRANSACTION_VERSION = 1;

/** @returns null if the node has no such block, or none any more @throws the signal's reason */
export async function findBlockhash(rpc: SolanaRpc, slot: Slot, signal: AbortSignal): Promise<Hash | null> {
  const config = { transactionDetails: 'none', rewards: false, commitment: await rpc.findCommitment() };
  const parse = (block: unknown) => (block === null ? null : parseHash(asText(asFields(block).blockhash)));
  return orNull(rpc.call({ method: 'getBlock', params: [slot, config], finalCodes: 'all', parse }, signal));
}

/** @returns the `getTransaction` result; `json` is null if there is no such transaction; null if the node cannot say */
export async function findTransactionJson(
  rpc: SolanaRpc,
  signature: Signature,
  signal: AbortSignal,
): Promise<{ json: string | null } | null> {
  const commitment = await rpc.findCommitment();
  const config = { encoding: 'base64', maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION, commitment };
  const params = [toBase58(signature), config];
  const parse = (result: unknown) => ({ json: result === null ? null : JSON.stringify(asFields(result)) });
  return orNull(rpc.call({ method: 'getTransaction', params, finalCodes: 'all', parse }, signal));
}

/** The oldest slot of which the node has blocks; null if it does not say. */
export function findFirstAvailableSlot(rpc: SolanaRpc, signal: AbortSignal): Promise<number | null> {
  return orNull(rpc.call({ method: 'getFirstAvailableBlock', params: [], finalCodes: 'all', parse: asNumber }, signal));
}

async function orNull<Result>(answer: Promise<Result>): Promise<Result | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RpcAnswerError) return null;
    throw error;
  }
}
