import { type LedgerOracle, Random, type ValidityProofRequest } from '@fresnel/ledger-generator';
import { fakeProofOf, findProvableAccounts, newAddressesFor } from '@fresnel/testing/validity-proofs';
import { INVALID_PARAMS, type Question, STATE_ERROR } from './question';

const METHODS = ['getValidityProof', 'getValidityProofV2'] as const;
/** Numbers of accounts and addresses for which there are circuits of both versions. */
const SIZES = [
  [1, 0],
  [4, 0],
  [0, 2],
  [2, 1],
] as const;

/**
 * Requests for validity proofs, of other accounts at each slot. The expected proofs are those of a fake prover.
 *
 * @param subjects what to ask about: an oracle that may have applied later slots
 */
export function* validityQuestions(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<Question> {
  for (const request of listRequests(oracle, subjects)) {
    const params = { hashes: request.hashes, newAddressesWithTrees: request.addresses };
    for (const method of METHODS) yield { method, params, expected: answerOf(oracle, method, request) };
  }
  const addresses = newAddressesFor(1, 2);
  yield {
    method: 'getValidityProof',
    params: { newAddresses: addresses.map(({ address }) => address) },
    expected: answerOf(oracle, 'getValidityProof', { hashes: [], addresses }),
  };
}

/** Accounts and addresses of one version and of both, queued accounts, consumed ones, used addresses, and nothing. */
function* listRequests(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<ValidityProofRequest> {
  const random = new Random(oracle.slot);
  const { queued, inTrees } = findProvableAccounts(oracle);
  const ofVersion = (version: 1 | 2, count: number) => random.sample(inTrees[version], count);
  for (const version of [1, 2] as const) {
    for (const [accounts, addresses] of SIZES) {
      yield { hashes: ofVersion(version, accounts), addresses: newAddressesFor(version, addresses) };
    }
    yield { hashes: [...random.sample(queued, 2), ...ofVersion(version, 1)], addresses: newAddressesFor(version, 1) };
  }
  yield { hashes: random.sample(queued, 3), addresses: [] };
  yield { hashes: [...ofVersion(1, 1), ...ofVersion(2, 1)], addresses: [] };
  for (const hash of random.sample(subjects.accounts(), 4)) yield { hashes: [hash], addresses: [] };
  yield { hashes: ofVersion(1, 1), addresses: random.sample(oracle.insertedAddresses(), 1) };
  yield { hashes: [], addresses: [] };
}

function answerOf(oracle: LedgerOracle, method: (typeof METHODS)[number], request: ValidityProofRequest): unknown {
  const answer = oracle[method](request);
  if (answer.outcome !== 'proven') return answer.outcome === 'invalid' ? INVALID_PARAMS : STATE_ERROR;
  const { context, value, statement } = answer;
  return { context, value: { compressedProof: statement && fakeProofOf(statement), ...value } };
}
