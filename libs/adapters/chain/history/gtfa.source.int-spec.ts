import { LIVE_PROGRAMS } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import {
  createGtfaSource,
  eventsOfPages,
  FakeGtfa,
  holesOf,
  inSlots,
  type LedgerTransaction,
  readHistory,
  readHistoryLedger,
  signaturesOf,
} from '@fresnel/testing/history';
import { ChainVersionError } from '../block-source';
import { describeHistorySource } from './history-source.contract';
import { HistoryAnswerError, HistoryRefusedError, type HistorySlot } from './history-source';

const LEDGER = readHistoryLedger([...generateLedger({ seed: 41, slots: 25, transactionsPerSlot: 8 })]);
const RANGE = [LEDGER[0].slot, LEDGER[LEDGER.length - 1].slot] as const;
const PROGRAM = 'compr6CUsB5m2jS4Y3831ztGSTnDpnKJTKS95d64XVq';
const isNamed = ({ staticKeys, loadedKeys }: LedgerTransaction) => [...staticKeys, ...loadedKeys].includes(PROGRAM);
const NAMED = LEDGER.flatMap(({ transactions }) => transactions).filter((each) => isNamed(each));
const EXPECTED = NAMED.filter(({ isFailed }) => !isFailed);
const SIGNATURES = EXPECTED.map(({ signature }) => signature);
const KEY = 'very-secret-key';

describe('GtfaSource', () => {
  describeHistorySource(async (ledger) => {
    const fake = await FakeGtfa.start(ledger);
    return {
      source: createGtfaSource(fake.url).source,
      limitAnswers: (count) => (fake.pageSize = count),
      withhold: (withheld) => (fake.withholds = withheld),
      close: () => fake.close(),
    };
  });

  let fake: FakeGtfa;
  beforeEach(async () => {
    fake = await FakeGtfa.start(LEDGER);
  });
  afterEach(() => fake.close());

  const open = (path = '') => createGtfaSource(`${fake.url}/${path}`);
  const read = (source = open().source) => readHistory(source, RANGE);
  const configs = () => fake.provider.requests.map(({ body }) => (body.params as [string, object])[1]);
  const slotsOf = async () => (await read()).flatMap(({ slots }): HistorySlot[] => slots);

  it('keeps the text of transactions, with all digits of their numbers', async () => {
    const texts = (await slotsOf()).flatMap(({ transactions }) => transactions.map(({ json }) => json));
    expect(texts).toEqual(EXPECTED.map(({ json }) => json));
    expect(texts.some((text) => text.includes('18446744073709551615'))).toBe(true);
  });

  it('asks for whole transactions of all versions, of the chain as it is final', async () => {
    const { source } = open();
    await read(source);
    expect(configs()[0]).toEqual({
      transactionDetails: 'full',
      encoding: 'base64',
      maxSupportedTransactionVersion: 1,
      sortOrder: 'asc',
      limit: 1_000,
      commitment: 'finalized',
      filters: { slot: { gte: RANGE[0], lte: RANGE[1] }, status: 'succeeded' },
    });
    expect(source.usage).toEqual({ calls: configs().length, bytes: expect.any(Number) });
    expect(source.usage.bytes).toBeGreaterThan(EXPECTED.reduce((sum, { json }) => sum + json.length, 0));
  });

  it('repeats its parameters with each token', async () => {
    fake.pageSize = 30;
    await read();
    const [first, ...others] = configs();
    expect(others.length).toBeGreaterThan(2);
    for (const other of others)
      expect(other).toEqual({ ...first, paginationToken: expect.stringMatching(/^\d+:\d+$/) });
  });

  it.each([
    ['name signatures', { namesSignatures: true }],
    ['are missing in the last answer', { endsWithoutToken: true }],
  ])('takes tokens that %s', async (_, knobs) => {
    Object.assign(fake, knobs, { pageSize: 7 });
    expect(signaturesOf(await read())).toEqual(SIGNATURES);
  });

  it('reads answers that are not compressed', async () => {
    fake.provider.compresses = false;
    expect(signaturesOf(await read())).toEqual(SIGNATURES);
  });

  describe('with a provider that', () => {
    it.each([
      ['lowers the limit', { maxLimit: 100 }, 1_000, { status: 'succeeded' }],
      ['refuses the limit', { maxLimit: 100, refusesHigherLimit: true }, 100, { status: 'succeeded' }],
      ['refuses the filter for successful transactions', { unknownFilters: ['status'] }, 1_000, {}],
      ['ignores it', { unknownFilters: ['status'], refusesUnknown: false }, 1_000, { status: 'succeeded' }],
      ['refuses both', { maxLimit: 100, refusesHigherLimit: true, unknownFilters: ['status'] }, 100, {}],
    ])('%s, gives all', async (_, knobs, limit, filters) => {
      Object.assign(fake, knobs);
      const { source } = open();
      expect(signaturesOf(await read(source))).toEqual(SIGNATURES);
      const asked = fake.provider.requests.length;
      expect(signaturesOf(await read(source))).toEqual(SIGNATURES);
      expect(configs()[asked]).toMatchObject({ limit, filters: { slot: {}, ...filters } });
    });

    it('gives equal indexes to the transactions of a slot, leaves the order to the caller', async () => {
      Object.assign(fake, { givesEqualIndexes: true, pageSize: 3 });
      const slots = await slotsOf();
      expect(slots.flatMap(({ transactions }) => transactions.map(({ index }) => index))).toEqual(
        EXPECTED.map(() => 0),
      );
      expect(signaturesOf(await read()).sort()).toEqual([...SIGNATURES].sort());
    });

    it('has lost the meta of a transaction, reports a hole', async () => {
      const lost = EXPECTED[20];
      fake.lacksMeta = ({ signature }) => signature === lost.signature;
      const pages = await read();
      const { slot, index } = lost;
      expect(holesOf(pages)).toMatchObject([{ slot, index, reason: 'no meta' }]);
      expect(signaturesOf(pages)).toEqual(SIGNATURES);
      const problems = eventsOfPages(pages).filter((each) => each.problems.length > 0);
      expect(problems).toMatchObject([{ signature: lost.signature, problems: ['transaction: no meta'] }]);
    });

    it('matches static keys only, lacks those that name the program through a lookup table', async () => {
      fake.matchesStaticKeysOnly = true;
      const found = signaturesOf(await read());
      expect(found).toEqual(
        EXPECTED.filter(({ staticKeys }) => staticKeys.includes(PROGRAM)).map((each) => each.signature),
      );
      expect(found.length).toBeLessThan(EXPECTED.length);
    });

    it('has a transaction in two slots, gives both', async () => {
      const [, second, third] = LEDGER;
      const dead = { ...second, slot: third.slot + 1_000 };
      const moved = { ...dead, transactions: second.transactions.map((each) => ({ ...each, slot: dead.slot })) };
      await fake.close();
      fake = await FakeGtfa.start([...LEDGER, moved]);
      const pages = await readHistory(open().source, [RANGE[0], dead.slot]);
      const again = moved.transactions.filter((each) => isNamed(each) && !each.isFailed);
      expect(signaturesOf(pages)).toEqual([...SIGNATURES, ...again.map(({ signature }) => signature)]);
    });

    describe('has larger transactions than fit into an answer', () => {
      const ledger = readHistoryLedger([...generateLedger({ seed: 41, slots: 50, transactionsPerSlot: 8 })]);
      const [first, last] = [ledger[0].slot, ledger[ledger.length - 1].slot];
      const SIZE = 20_000;
      const MAX_BYTES = 130 * SIZE;
      const limits = () => configs().map((config) => (config as { limit: number }).limit);
      let expected: LedgerTransaction[];
      beforeEach(async () => {
        await fake.close();
        fake = await FakeGtfa.start(ledger);
        fake.pageSize = 150;
        expected = ledger.flatMap(({ transactions }) => transactions).filter((each) => isNamed(each) && !each.isFailed);
      });

      it('is asked for fewer from there on, and for many again in the next part', async () => {
        const large = expected[150].slot;
        fake.paddingOf = ({ slot }) => (slot >= large ? SIZE : 0);
        const { source, lines } = createGtfaSource(fake.url, { maxResponseBytes: MAX_BYTES });
        const pages = await readHistory(source, [first, last]);
        expect(signaturesOf(pages)).toEqual(expected.map(({ signature }) => signature));
        expect(limits().slice(0, 4)).toEqual([1_000, 1_000, 100, 100]);
        const restarted = configs()[2] as { filters: { slot: { gte: number } }; paginationToken?: string };
        expect(restarted.filters.slot.gte).toBeGreaterThan(first);
        expect(restarted.paginationToken).toBeUndefined();
        expect(lines.map(({ msg }) => msg)).toEqual(['answers of the source of history are too large']);
        const asked = limits().length;
        await readHistory(source, [first, large - 1]);
        expect(limits()[asked]).toBe(1_000);
      });

      it('is given up if few of them do not fit either', async () => {
        fake.paddingOf = () => 2 * SIZE;
        const { source } = createGtfaSource(fake.url, { maxResponseBytes: MAX_BYTES });
        await expect(readHistory(source, [first, last])).rejects.toThrow(/larger than \d+ bytes. Check that its URL/);
        expect(limits()).toEqual([1_000, 100, 100, 100, 100, 100]);
      });
    });

    it('cuts a range short, attests what it claims', async () => {
      const end = LEDGER[10].slot;
      fake.endsAt = end;
      const pages = await read();
      expect(pages.at(-1)?.to).toBe(RANGE[1]);
      expect(signaturesOf(pages)).toEqual(
        EXPECTED.filter((each) => !inSlots(end + 1, RANGE[1])(each)).map(({ signature }) => signature),
      );
    });
  });

  it('asks again for an answer that it has had', async () => {
    fake.pageSize = 20;
    const { source } = open();
    const pages: string[] = [];
    const range = { from: toSlot(RANGE[0]), to: toSlot(RANGE[1]) };
    for await (const page of source.read(range, [LIVE_PROGRAMS.accountCompression], new AbortController().signal)) {
      pages.push(...signaturesOf([page]).map(String));
      if (pages.length < 60) fake.repeats = 2;
    }
    expect(pages).toEqual(SIGNATURES);
  });

  it('gives up when all answers are the same', async () => {
    fake.pageSize = 20;
    const { source } = open();
    const reading = (async () => {
      for await (const { to } of source.read(
        { from: toSlot(RANGE[0]), to: toSlot(RANGE[1]) },
        [LIVE_PROGRAMS.accountCompression],
        new AbortController().signal,
      ))
        if (to > 0) fake.repeats = Infinity;
    })();
    await expect(reading).rejects.toThrow(HistoryAnswerError);
  });

  it.each([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '0.01' } }],
    ['503', { status: 503 }],
    ['storage that cannot be reached', rpcError(-32019, 'Failed to query long-term storage')],
    ['an internal error', rpcError(-32603, 'Internal error')],
    ['a node that is behind', rpcError(-32016, 'Minimum context slot has not been reached')],
    ['a rate limit as a JSON-RPC error', rpcError(-32600, 'Too many requests')],
    ['an answer that is cut', { cutAt: 0.5 }],
    ['a result without a list', { parts: ['{"jsonrpc":"2.0","id":1,"result":{}}'] }],
  ])('retries after %s', async (_, fault) => {
    fake.pageSize = 40;
    fake.provider.fail(fault, 3);
    expect(signaturesOf(await read())).toEqual(SIGNATURES);
  });

  it('pauses as long as the provider requests', async () => {
    fake.provider.fail({ status: 429, headers: { 'retry-after': '0.2' } });
    await read();
    const [first, second] = fake.provider.requests;
    expect(second.at - first.at).toBeGreaterThan(180);
  });

  it.each([
    ['an unknown version', -32015, 'Transaction version (2) is not supported', ChainVersionError, 'update Fresnel'],
    ['the method', -32601, 'Method not found', HistoryRefusedError, 'Method not found'],
    ['the plan', -32403, 'Upgrade to the Developer plan', HistoryRefusedError, 'Upgrade to the Developer plan'],
  ])('ends when the provider refuses %s', async (_, code, message, type, text) => {
    fake.provider.fail(rpcError(code, message), 2);
    const error: unknown = await read(open(`?api-key=${KEY}`).source).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ isRetryable: false, message: expect.stringContaining(text) });
    expect(fake.provider.requests).toHaveLength(2);
  });

  it.each([401, 403, 404])('ends after HTTP status %d, and does not leak its key', async (status) => {
    fake.provider.fail({ status, parts: [`no access for ${KEY}`] }, 2);
    const { source, lines } = open(`v1/${KEY}`);
    const error: unknown = await read(source).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HistoryRefusedError);
    const { message, stack, cause } = error as Error;
    expect(message).toContain(`getTransactionsForAddress of 127.0.0.1 refuses the request: HTTP ${status}`);
    expect(JSON.stringify([message, stack, cause, lines, source.name])).not.toContain(KEY);
  });
});

/** The provider does not check the id of errors. */
function rpcError(code: number, message: string) {
  return { parts: [JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } })] };
}
