import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '@fresnel/domain/primitives';
import { type LedgerOracle, Random } from '@fresnel/ledger-generator';
import { eventually, ExactJson, parseExactJson, sendHttp, toExactForm } from '@fresnel/testing/generic';
import { accountProofQuestions, freshAddresses, proofQuestions, queueQuestions, toReply } from './proof-questions';
import { type Question } from './question';
import { type ContextCall, sampleListCalls, sampleValueCalls } from './sampled-calls';
import { validityQuestions } from './validity-questions';

/** The number of questions to a gateway, and the answers that differ from the oracle's. */
export interface OracleCheck {
  questions: number;
  differences: { question: string; answer: unknown; oracle: unknown }[];
}

const BATCH = 50;
/** Small enough that lists have several pages. */
const PAGE = 3;
/** Subjects of each kind in a check, and in the calls whose answers have a context. */
const SAMPLE = 2;
const CONTEXT_SAMPLE = 30;
/**
 * Sends a gateway the requests that the oracle can answer, with all pages, and compares the answers. Most methods are asked
 * about all subjects, the lists of accounts and balances about a few.
 *
 * @param proofs whether to request proofs too
 * @param validityProofs whether these include validity proofs: the gateway has a `FakeValidityProver`
 * @param subjects what to ask about: an oracle that may have applied later slots
 */
export async function checkAgainstOracle(
  url: string,
  oracle: LedgerOracle,
  {
    proofs = true,
    validityProofs = false,
    subjects = oracle,
  }: { proofs?: boolean; validityProofs?: boolean; subjects?: LedgerOracle } = {},
): Promise<OracleCheck> {
  return askQuestions(url, questionsAbout(oracle, subjects, { proofs, validityProofs }));
}

/**
 * Compares the answers with the oracle until nothing differs, or time is up: trees may be a little behind the tables. A comparison that
 * fails counts as a difference. What differs is asked again first, and everything once that agrees.
 *
 * @param oracle applies no block meanwhile
 * @returns the last differences
 */
export async function waitForAgreement(
  url: string,
  oracle: LedgerOracle,
  { proofs = true }: { proofs?: boolean } = {},
): Promise<OracleCheck['differences']> {
  const all = questionsAbout(oracle, oracle, { proofs, validityProofs: true });
  let asked = all;
  let found: OracleCheck['differences'] = [];
  const agrees = async () => {
    const isEverything = asked === all;
    try {
      found = (await askQuestions(url, asked)).differences;
      const names = new Set(found.map(({ question }) => question));
      asked = names.size === 0 ? all : asked.filter((question) => names.has(nameOf(question)));
    } catch (error) {
      found = [{ question: 'all', answer: messageOf(error), oracle: null }];
    }
    return isEverything && found.length === 0;
  };
  await eventually('a gateway agrees with the oracle', agrees).catch((error: unknown) => {
    if (found.length === 0) throw error;
  });
  return found;
}

/** Sends questions to a gateway, and compares the answers. */
export async function askQuestions(url: string, questions: readonly Question[]): Promise<OracleCheck> {
  const differences: OracleCheck['differences'] = [];
  for (let at = 0; at < questions.length; at += BATCH) {
    const part = questions.slice(at, at + BATCH);
    const answers = await sendQuestions(url, part);
    part.forEach((question, index) => {
      const [answer, expectedAnswer] = [answers[index], toExactForm(question.expected)];
      if (isDeepStrictEqual(answer, expectedAnswer)) return;
      differences.push({ question: nameOf(question), answer, oracle: expectedAnswer });
    });
  }
  return { questions: questions.length, differences };
}

function nameOf({ method, params }: Question): string {
  return `${method} ${JSON.stringify(params)}`;
}

/**
 * The questions of a check.
 *
 * @param subjects what to ask about: an oracle that may have applied later slots
 */
export function questionsAbout(
  oracle: LedgerOracle,
  subjects: LedgerOracle,
  { proofs, validityProofs }: { proofs: boolean; validityProofs: boolean },
): Question[] {
  return [
    ...listQuestions(oracle, subjects),
    ...(proofs
      ? [...proofQuestions(oracle), ...accountProofQuestions(oracle, subjects), ...queueQuestions(oracle)]
      : []),
    ...(proofs && validityProofs ? validityQuestions(oracle, subjects) : []),
  ];
}

/** The first page of lists, every account, and a proof from each tree. @param subjects an oracle of all blocks of a ledger */
export function listContextCalls(subjects: LedgerOracle): ContextCall[] {
  const random = new Random(subjects.slot);
  const accounts = [
    ...[...subjects.accounts(), ...subjects.unreadableAccounts()].map((hash) => ({ hash })),
    ...subjects.addresses().map((address) => ({ address })),
  ].flatMap((params): ContextCall[] => [
    { method: 'getCompressedAccount', params, answerOf: (oracle) => oracle.getCompressedAccount(params) },
    { method: 'getCompressedAccountV2', params, answerOf: (oracle) => oracle.getCompressedAccountV2(params) },
  ]);
  const listsOf = (
    method: 'getCompressionSignaturesForOwner' | 'getCompressionSignaturesForTokenOwner',
    owners: readonly string[],
  ) => owners.map((owner): ContextCall => ({ method, params: { owner }, answerOf: (oracle) => oracle[method](owner) }));
  const holders = subjects.mints().map((mint): ContextCall => ({
    method: 'getCompressedMintTokenHolders',
    params: { mint },
    answerOf: (oracle) => oracle.getCompressedMintTokenHolders(mint),
  }));
  const proofs = freshAddresses().map((question): ContextCall => ({
    method: 'getMultipleNewAddressProofsV2',
    params: [question],
    answerOf: (oracle) => toReply(oracle.getMultipleNewAddressProofsV2([question])),
  }));
  return [
    ...accounts,
    ...listsOf('getCompressionSignaturesForOwner', subjects.owners()),
    ...listsOf('getCompressionSignaturesForTokenOwner', subjects.tokenOwners()),
    ...holders,
    ...proofs,
    ...sampleValueCalls(subjects, random, CONTEXT_SAMPLE),
    ...sampleListCalls(subjects, random, CONTEXT_SAMPLE).map(({ method, subject, answerOf }): ContextCall => ({
      method,
      params: subject,
      answerOf: (oracle) => answerOf(oracle, {}),
    })),
  ];
}

function* listQuestions(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<Question> {
  yield { method: 'getIndexerSlot', params: [], expected: oracle.slot };
  yield* accountQuestions(oracle, subjects);
  yield* transactionQuestions(oracle, subjects);
  for (const owner of subjects.owners()) {
    yield* pages('getCompressionSignaturesForOwner', { owner }, (page) =>
      oracle.getCompressionSignaturesForOwner(owner, page),
    );
  }
  for (const owner of subjects.tokenOwners()) {
    yield* pages('getCompressionSignaturesForTokenOwner', { owner }, (page) =>
      oracle.getCompressionSignaturesForTokenOwner(owner, page),
    );
  }
  for (const mint of subjects.mints()) {
    yield* pages('getCompressedMintTokenHolders', { mint }, (page) => oracle.getCompressedMintTokenHolders(mint, page));
  }
  yield* sampledQuestions(oracle, subjects);
}

/** Questions about a few subjects, other ones at each slot: there are too many methods to ask all of all. */
function* sampledQuestions(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<Question> {
  const random = new Random(oracle.slot);
  for (const { method, params, answerOf } of sampleValueCalls(subjects, random, SAMPLE)) {
    yield { method, params, expected: answerOf(oracle) };
  }
  for (const { method, subject, answerOf } of sampleListCalls(subjects, random, SAMPLE)) {
    yield* pages(method, subject, (page) => answerOf(oracle, page));
  }
}

function* accountQuestions(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<Question> {
  const byHash = [...subjects.accounts(), ...subjects.unreadableAccounts()].map((hash) => ({ hash }));
  const byAddress = subjects.addresses().map((address) => ({ address }));
  for (const params of [...byHash, ...byAddress]) {
    yield { method: 'getCompressedAccount', params, expected: oracle.getCompressedAccount(params) };
    yield { method: 'getCompressedAccountV2', params, expected: oracle.getCompressedAccountV2(params) };
  }
}

function* transactionQuestions(oracle: LedgerOracle, subjects: LedgerOracle): Iterable<Question> {
  for (const { signature } of subjects.signatures()) {
    const params = { signature };
    for (const method of ['getTransactionWithCompressionInfo', 'getTransactionWithCompressionInfoV2'] as const) {
      const answer = oracle[method](signature);
      yield { method, params, expected: answer && toTransactionResult(answer) };
    }
  }
}

function* pages(
  method: string,
  subject: object,
  answerOf: (page: { limit?: number; cursor?: string }) => { value: { cursor: string | null } },
): Iterable<Question> {
  yield { method, params: subject, expected: answerOf({}) };
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const expected = answerOf(page);
    yield { method, params: { ...subject, ...page }, expected };
    ({ cursor } = expected.value);
  }
}

/** The response contains the compression info under two names. */
function toTransactionResult({ transaction, compressionInfo }: { transaction: string; compressionInfo: object }) {
  return { transaction: new ExactJson(transaction), compressionInfo, compression_info: compressionInfo };
}

/** @returns the result of each question in the form of `parseExactJson`, or `{ code }` for an error */
export async function sendQuestions(url: string, questions: readonly Omit<Question, 'expected'>[]): Promise<unknown[]> {
  const batch = questions.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': nextClient() };
  const { status, text } = await sendHttp(url, { headers, body: JSON.stringify(batch) });
  if (status !== 200) throw new Error(`the gateway refused a batch with ${status}: ${text}`);
  const replies = parseExactJson(text) as { id: number; result?: unknown; error?: { code: number } }[];
  const byId = new Map(replies.map((reply) => [reply.id, reply]));
  return questions.map((_, id) => {
    const reply = byId.get(id);
    return reply?.error ? { code: reply.error.code } : reply?.result;
  });
}

let clients = 0;

/** The address of a client that has asked nothing yet: a gateway that trusts a proxy limits each client. */
function nextClient(): string {
  clients++;
  return `198.18.${(clients >> 8) & 255}.${clients & 255}`;
}
