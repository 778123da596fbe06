import { ProofReader, createProverMetrics } from '@fresnel/features/prover';
import { connect } from '@fresnel/adapters/store-schema';
import { IN_PROCESS_LOG, InMemoryTreeStore, PostgresTreeJournal } from '@fresnel/adapters/tree-store';
import { HttpValidityProver } from '@fresnel/adapters/validity-prover';
import { poseidon } from '@fresnel/domain/poseidon';
import { Registry } from '@fresnel/platform';
import { startTestGateway } from '@fresnel/testing/gateway';
import { Opened } from '@fresnel/testing/generic';
import { sendQuestions } from '@fresnel/testing/ledger';
import { FakeValidityProver } from '@fresnel/testing/validity-proofs';

export interface ServedIndex {
  url: string;
  close(): Promise<void>;
}

/** Calls of a request. */
const BATCH = 50;

/** Calls methods. @returns the answers, as `sendQuestions` does */
export async function callMethods(
  url: string,
  calls: readonly { method: string; params: unknown }[],
): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let at = 0; at < calls.length; at += BATCH)
    answers.push(...(await sendQuestions(url, calls.slice(at, at + BATCH))));
  return answers;
}

const OPTIONS = { ACCEPT_TREE_GAPS: false, PROVER_MAX_WAIT_MS: 0, PROVER_MAX_WAIT_SLOTS: 100 };
const TIMEOUT_MS = 60_000;

/** Serves an index that nobody writes: a gateway, with the trees of the journal, and validity proofs that are fake. */
export async function serveIndex(databaseUrl: string): Promise<ServedIndex> {
  const opened = new Opened();
  try {
    const dataSource = await connect({ url: databaseUrl, poolSize: 1, applicationName: 'served-index' });
    opened.add({ close: () => dataSource.destroy() });
    const trees = await InMemoryTreeStore.open(poseidon, new PostgresTreeJournal(dataSource, IN_PROCESS_LOG));
    const prover = new ProofReader(trees, poseidon, OPTIONS, createProverMetrics(new Registry()));
    const { url } = opened.add(await FakeValidityProver.start());
    const validityProver = new HttpValidityProver({
      urls: [url],
      apiKey: null,
      circuits: 'full',
      timeoutMs: TIMEOUT_MS,
      concurrency: 1,
      onAttempt: () => undefined,
    });
    const gateway = opened.add(await startTestGateway({ databaseUrl, prover, validityProver }));
    return { url: gateway.url, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
