import { setTimeout as sleep } from 'node:timers/promises';
import { type LedgerOracle } from '@fresnel/ledger-generator';
import { type ProofHistory } from '@fresnel/testing/ledger';
import { callRpc, readingCalls, type RpcAnswer } from './rpc-call';

const PACE_MS = 200;

/** How often each answer was given: `ok`, or the code of an error. */
export type AnswerCounts = Record<string, number>;

/** What a caller has seen. */
export interface Seen {
  /** Answers of methods that read the tables. */
  reads: AnswerCounts;
  /** Answers of requests for proofs. */
  proofs: AnswerCounts;
  /** How many proofs were not correct as of any block. */
  wrongProofs: number;
}

/**
 * Calls methods of a gateway over and over while something happens.
 *
 * @param history the correct proofs after each block
 */
export async function callWhile(
  url: string,
  oracle: LedgerOracle,
  history: ProofHistory,
  happening: Promise<unknown>,
): Promise<Seen> {
  const seen: Seen = { reads: {}, proofs: {}, wrongProofs: 0 };
  let hasEnded = false;
  const ended = happening.finally(() => (hasEnded = true));
  ended.catch(() => undefined);
  while (!hasEnded) {
    const reads = await Promise.all(readingCalls(oracle).map((call) => callRpc(url, call)));
    for (const answer of reads) count(seen.reads, answer);
    const proofs = await callRpc(url, { method: 'getMultipleNewAddressProofsV2', params: history.questions });
    count(seen.proofs, proofs);
    if (proofs.code === undefined && !history.isCorrect(proofs.result)) seen.wrongProofs++;
    await sleep(PACE_MS);
  }
  await ended;
  return seen;
}

function count(counts: AnswerCounts, { code, status }: RpcAnswer): void {
  const name = code === undefined && status === 200 ? 'ok' : String(code ?? status);
  counts[name] = (counts[name] ?? 0) + 1;
}
