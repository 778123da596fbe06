import { METHOD_CONTRACTS } from '@fresnel/contracts/rpc';
import { generateLedger, LedgerOracle } from '@fresnel/ledger-generator';
import { questionsAbout } from './oracle-check';

/** Methods that the oracle does not answer, each with the reason. */
const NOT_ASKED: Record<string, string> = {
  getIndexerHealth: 'it depends on the tip of the chain and on the clock',
  getIndexerStatus: 'it depends on the tip of the chain and on the clock',
  getLatestNonVotingSignatures: 'the model has no transactions without compression',
  getQueueInfo: 'it returns the sizes of the queues whose entries getQueueElements returns',
  getQueueLeafIndices: 'it returns entries of the input queue that getQueueElements returns as well',
  getTreeStatus: 'it returns the root that proofs have, and the sizes of queues',
  liveness: 'it is about the process, not about the chain',
  readiness: 'it is about the process, not about the chain',
  'rpc.discover': 'it is about the process, not about the chain',
};

/** The methods that a check of a generated ledger calls. */
function findAskedMethods(): Set<string> {
  const oracle = new LedgerOracle();
  for (const block of generateLedger({ seed: 1, slots: 40 })) oracle.apply(block);
  const questions = questionsAbout(oracle, oracle, { proofs: true, validityProofs: true });
  return new Set(questions.map(({ method }) => method));
}

describe('the questions to the oracle', () => {
  const asked = findAskedMethods();

  it.each(METHOD_CONTRACTS.map(({ name }) => name))(
    'include %s, in libs/testing/ledger/sampled-calls.ts, or it is listed here with a reason',
    (name) => {
      expect(asked.has(name)).toBe(!(name in NOT_ASKED));
    },
  );
});
