import { generateLedger, generatedTrees } from '@fresnel/ledger-generator';
import { toBase58 } from '@fresnel/domain/primitives';
import {
  createSqdSource,
  eventsOfPages,
  FakePortal,
  holesOf,
  type LedgerTransaction,
  readHistory,
  readHistoryLedger,
  signaturesOf,
} from '@fresnel/testing/history';
import { eventually, until } from '@fresnel/testing/generic';
import { describeHistorySource } from './history-source.contract';
import { HistoryAnswerError, HistoryRefusedError } from './history-source';

const LEDGER = readHistoryLedger([...generateLedger({ seed: 43, slots: 40 })]);
const RANGE = [LEDGER[0].slot, LEDGER[LEDGER.length - 1].slot] as const;
const PROGRAM = 'compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq';
const calls = ({ instructions }: LedgerTransaction) => instructions.some(({ programId }) => programId === PROGRAM);
const EXPECTED = LEDGER.flatMap(({ transactions }) => transactions).filter((each) => !each.isFailed && calls(each));
const SIGNATURES = EXPECTED.map(({ signature }) => signature);

describe('SqdSource', () => {
  describeHistorySource(async (ledger) => {
    const fake = await FakePortal.start(ledger);
    fake.head += 1_000;
    return {
      source: createSqdSource(fake.url).source,
      limitAnswers: (count) => (fake.blocksOfAnswer = count),
      withhold: (withheld) => (fake.withholds = withheld),
      close: () => fake.close(),
    };
  });

  let fake: FakePortal;
  beforeEach(async () => {
    fake = await FakePortal.start(LEDGER);
  });
  afterEach(() => fake.close());

  const read = (source = createSqdSource(fake.url).source, about?: Parameters<typeof readHistory>[2]) =>
    readHistory(source, RANGE, about);
  const bodies = () => fake.provider.requests.map(({ body }) => body);

  it('asks for the instructions of transactions that execute the program', async () => {
    await read();
    expect(bodies()).toMatchObject([
      {
        type: 'solana',
        fromBlock: RANGE[0],
        toBlock: RANGE[1],
        instructions: [{ programId: [PROGRAM], isCommitted: true, transaction: true, transactionInstructions: true }],
      },
    ]);
  });

  it('asks about accounts that are no programs by what instructions mention', async () => {
    const [{ tree, queue }] = generatedTrees();
    await read(undefined, [tree, queue]);
    expect(bodies()[0].instructions).toMatchObject([{ mentionsAccount: [tree, queue].map(toBase58) }]);
  });

  it('gives the links and times of blocks', async () => {
    const slots = (await read()).flatMap((page) => page.slots);
    const known = new Map(LEDGER.map((block) => [block.slot, block]));
    expect(slots.length).toBeGreaterThan(20);
    for (const { slot, blockTime, link } of slots) {
      const { hash, parentSlot, parentHash, ...block } = known.get(slot) ?? LEDGER[0];
      expect([slot, blockTime]).toEqual([block.slot, block.blockTime]);
      expect(link && toBase58(link.blockhash)).toBe(hash);
      expect(link?.parentSlot).toBe(parentSlot);
      expect(link && toBase58(link.parentBlockhash)).toBe(parentHash);
    }
  });

  it('continues after the last block of an answer that ends early', async () => {
    fake.blocksOfAnswer = 9;
    expect(signaturesOf(await read())).toEqual(SIGNATURES);
    const starts = bodies().map(({ fromBlock }) => fromBlock);
    expect(starts).toEqual([0, 9, 18, 27, 36].map((at) => (at === 0 ? RANGE[0] : LEDGER[at - 1].slot + 1)));
  });

  it.each([
    ['in one part', { linesOfPart: 1_000 }],
    ['in many compressed parts', { linesOfPart: 1 }],
    ['with tables in another order', { reversesTables: true }],
  ])('reads an answer %s', async (_, knobs) => {
    Object.assign(fake, knobs);
    const pages = await read();
    expect(signaturesOf(pages)).toEqual(SIGNATURES);
    expect(eventsOfPages(pages).flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('reads answers that are not compressed', async () => {
    fake.provider.compresses = false;
    expect(signaturesOf(await read())).toEqual(SIGNATURES);
  });

  it('waits until the provider has the end of the range', async () => {
    fake.head = LEDGER[20].slot;
    const { source, lines } = createSqdSource(fake.url);
    const reading = read(source);
    await until(() => lines.some(({ level }) => level === 'warn'), [reading]);
    expect(lines[0].reason).toBe(`it has blocks up to ${fake.head}, not yet up to ${RANGE[1]}`);
    fake.head = RANGE[1];
    expect(signaturesOf(await reading)).toEqual(SIGNATURES);
  });

  it('reports transactions of which an instruction is missing', async () => {
    const lost = EXPECTED.filter(({ instructions }) => instructions.length > 4)[3];
    fake.withholdsInstruction = (instruction, { signature }) =>
      signature === lost.signature && instruction === lost.instructions[lost.instructions.length - 2];
    const pages = await read();
    const { slot, index, signature } = lost;
    expect(holesOf(pages)).toMatchObject([{ slot, index, reason: 'not all instructions' }]);
    expect(signaturesOf(pages)).toEqual(SIGNATURES);
    const problems = eventsOfPages(pages).filter((each) => each.problems.length > 0);
    expect(problems).toMatchObject([{ signature, problems: ['transaction: not all instructions'] }]);
  });

  it('reports transactions without any instruction', async () => {
    const [lost] = EXPECTED;
    fake.withholdsInstruction = (_, { signature }) => signature === lost.signature;
    expect(holesOf(await read())).toMatchObject([{ slot: lost.slot, index: lost.index }]);
  });

  it('believes no answer that does not start where it should', async () => {
    fake.omitsFirst = true;
    const [, first] = LEDGER.map(({ slot }) => slot);
    fake.withholds = ({ slot }) => slot <= first;
    await expect(read()).rejects.toThrow(HistoryAnswerError);
  });

  it('believes no answer of another branch', async () => {
    const parentHash = LEDGER[0].hash;
    await fake.close();
    fake = await FakePortal.start(LEDGER.map((block, at) => (at === 9 ? { ...block, parentHash } : block)));
    fake.blocksOfAnswer = 9;
    await expect(read()).rejects.toThrow(
      `SQD Portal of 127.0.0.1: block ${LEDGER[9].slot} does not descend from block ${LEDGER[8].slot}`,
    );
  });

  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0.01' } }],
    ['529 with Retry-After', { status: 529, headers: { 'retry-after': '0.01' } }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['an answer that is cut', { cutAt: 0.5 }],
    ['a line that is cut', { parts: ['{"header":{"number":1'] }],
    ['a line of another form', { parts: ['{"header":{}}\n'] }],
  ])('retries after %s', async (_, fault) => {
    fake.linesOfPart = 1;
    fake.provider.fail(fault, 3);
    expect(signaturesOf(await read())).toEqual(SIGNATURES);
  });

  it('keeps what it has of an answer that is cut', async () => {
    // Node 24 gives up what is not read when the connection closes.
    fake.provider.compresses = false;
    const { source } = createSqdSource(fake.url);
    const onceRead = (bytes: number) => eventually('it is read', () => source.usage.bytes >= bytes);
    fake.provider.fail({ cutAt: 0.7, onceRead });
    expect(signaturesOf(await read(source))).toEqual(SIGNATURES);
    expect(bodies()[1].fromBlock).toBeGreaterThan(RANGE[0] + 5);
  });

  it('asks again if a stream stops', async () => {
    fake.provider.fail('stall');
    const { source, lines } = createSqdSource(fake.url, 300);
    expect(signaturesOf(await read(source))).toEqual(SIGNATURES);
    expect(lines.map(({ reason }) => reason)).toContain('no response within 300 ms');
  });

  it.each([
    [400, 'Bad request: dataset starts from block 1000'],
    [404, 'Dataset not found'],
    [409, '{"previousBlocks":[{"number":999,"hash":"1"}]}'],
  ])('ends after HTTP status %d', async (status, text) => {
    fake.provider.fail({ status, parts: [text] }, 2);
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HistoryRefusedError);
    expect((error as Error).message).toContain(`SQD Portal of 127.0.0.1 refuses the request: HTTP ${status}: ${text}`);
  });

  it('ends after answers with a line that is larger than any block', async () => {
    const line = 'x'.repeat(33 * 2 ** 20);
    fake.provider.fail({ parts: [line] }, 5);
    const error: unknown = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HistoryAnswerError);
    expect((error as Error).message).toMatch(
      /a line of the response is larger than 33554432 bytes. Check that its URL in/,
    );
    expect(bodies()).toHaveLength(5);
  });

  it('does not leak its key', async () => {
    const key = 'very-secret-key';
    const { source, lines } = createSqdSource(`${fake.url}/${key}`);
    const error: unknown = await read(source).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HistoryRefusedError);
    const { message, stack, cause } = error as Error;
    expect(JSON.stringify([message, stack, (cause as Error).message, lines, source.name])).not.toContain(key);
  });
});
