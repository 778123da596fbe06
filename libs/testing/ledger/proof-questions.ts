import { be32, toBase58 } from '@fresnel/domain/primitives';
import {
  type AccountProofsAnswer,
  generatedTrees,
  type LedgerOracle,
  type NewAddressProofsAnswer,
  Random,
} from '@fresnel/ledger-generator';
import { ErrorCode, INVALID_PARAMS, type Question, STATE_ERROR } from './question';

const FRESH_ADDRESSES = 8;
/** Accounts of each kind with a single proof in a check, and the most accounts in one request. */
const PROOF_SAMPLE = 10;
const MOST_HASHES = 1_000;
/** Entries of a queue in one request, and positions from which they are requested. */
const QUEUE_LIMIT = 100;
const QUEUE_STARTS = 60;
const OUT_OF_RANGE = toBase58(be32(2n ** 248n - 1n));

/** Addresses that no transaction inserts, in every address tree. */
export function freshAddresses(): { address: string; tree: string }[] {
  const trees = generatedTrees().filter(({ type }) => type === 'addressV1' || type === 'addressV2');
  return trees.flatMap(({ tree }) =>
    Array.from({ length: FRESH_ADDRESSES }, (_, at) => ({
      address: toBase58(be32(((2n ** 248n - 1n) / BigInt(FRESH_ADDRESSES + 1)) * BigInt(at + 1))),
      tree: toBase58(tree),
    })),
  );
}

export function* proofQuestions(oracle: LedgerOracle): Iterable<Question> {
  const fresh = freshAddresses();
  const single = [...oracle.insertedAddresses(), ...oracle.queuedAddresses()].map((question) => [question]);
  const refused = [{ address: OUT_OF_RANGE, tree: fresh[0].tree }];
  for (const params of [...single, fresh, refused, [{ ...fresh[0], tree: toBase58(be32(5)) }]]) {
    yield {
      method: 'getMultipleNewAddressProofsV2',
      params,
      expected: toReply(oracle.getMultipleNewAddressProofsV2(params)),
    };
  }
  const addresses = fresh.map(({ address }) => address);
  yield {
    method: 'getMultipleNewAddressProofs',
    params: addresses,
    expected: toReply(oracle.getMultipleNewAddressProofs(addresses)),
  };
}

/** All accounts that have a proof in one request, and each of a few accounts, also those without a proof. */
export function* accountProofQuestions(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<Question> {
  const several = { V1: 'getMultipleCompressedAccountProofs', V2: 'getMultipleCompressedAccountProofsV2' } as const;
  const provable = oracle.provableAccounts();
  for (let at = 0; at < provable.length; at += MOST_HASHES) {
    const hashes = provable.slice(at, at + MOST_HASHES);
    yield { method: several.V2, params: hashes, expected: toReply(oracle[several.V2](hashes)) };
  }
  const leaves = provable.filter((hash) => oracle[several.V1]([hash]).outcome === 'proofs').slice(0, MOST_HASHES);
  yield { method: several.V1, params: leaves, expected: toReply(oracle[several.V1](leaves)) };
  const random = new Random(oracle.slot);
  const kinds = [provable, subjects.accounts(), subjects.unreadableAccounts()];
  for (const hash of [toBase58(be32(5)), ...kinds.flatMap((kind) => random.sample(kind, PROOF_SAMPLE))]) {
    for (const version of ['V1', 'V2'] as const) {
      const method = version === 'V1' ? 'getCompressedAccountProof' : 'getCompressedAccountProofV2';
      yield { method, params: { hash }, expected: onlyOf(toReply(oracle[several[version]]([hash]))) };
    }
  }
}

/** The queues of every tree, also of trees without them: whole, in small batches, and from positions within and outside. */
export function* queueQuestions(oracle: LedgerOracle): Iterable<Question> {
  const method = 'getQueueElements';
  const random = new Random(oracle.slot);
  for (const { tree, type } of [...generatedTrees(), { tree: be32(5), type: 'stateV2' }]) {
    const start = random.below(QUEUE_STARTS);
    const selections = [
      { limit: QUEUE_LIMIT, zkpBatchSize: 1 },
      { limit: 7, zkpBatchSize: 3 },
      { limit: QUEUE_LIMIT, startIndex: start, zkpBatchSize: 2 },
      { limit: QUEUE_LIMIT },
    ];
    for (const selection of selections) {
      const inputQueue = { ...selection, startIndex: undefined };
      const isAddressTree = type === 'addressV1' || type === 'addressV2';
      const queues = isAddressTree ? { addressQueue: selection } : { outputQueue: selection, inputQueue };
      const params = { tree: toBase58(tree), ...queues };
      yield { method, params, expected: oracle.getQueueElements(params) ?? new ErrorCode(-32000) };
    }
    const params = { tree: toBase58(tree), inputQueue: { limit: 3, startIndex: start, zkpBatchSize: 1 } };
    yield { method, params, expected: oracle.getQueueElements(params) ?? new ErrorCode(-32000) };
  }
}

/** The answer of a method for one account, from that of the method for several. */
function onlyOf(reply: unknown): unknown {
  if (reply instanceof ErrorCode) return reply;
  const { context, value } = reply as { context: unknown; value: unknown[] };
  return { context, value: value[0] };
}

/** The answer of a method for proofs, or the error with which it is refused. */
export function toReply(answer: NewAddressProofsAnswer | AccountProofsAnswer<object>): unknown {
  if (answer.outcome === 'proofs') return { context: answer.context, value: answer.value };
  return answer.outcome === 'out-of-range' ? INVALID_PARAMS : STATE_ERROR;
}
