import { be32, parseHash, parsePubkey, parseSignature, toBase58 } from '@fresnel/domain/primitives';
import { METHOD_CONTRACTS } from '../contracts';
import { InvalidParamsError } from '../params/invalid-params.error';
import { getCompressedAccount, getCompressedAccountV2 } from './account';
import { getIndexerHealth, getIndexerSlot, getIndexerStatus, liveness, readiness } from './indexer';
import { getMultipleNewAddressProofs, getMultipleNewAddressProofsV2 } from './new-address-proof';
import { getQueueElements } from './queue';
import { getCompressionSignaturesForOwner, getCompressionSignaturesForTokenOwner } from './signatures';
import { getCompressedMintTokenHolders } from './token-balances';
import { getTransactionWithCompressionInfo, getTransactionWithCompressionInfoV2 } from './transaction';

const KEY = '38eTBdRT4kdFELvNfbJbFZNvGWUvXbn3DdJn3PzMtsqJ';
const SIGNATURE = '64jFxW4xxife8UqpEQyYdA589rzFKWx8rT4vun6soCpWXmDermr588UKX2261YYZ8ZSzcu2NUJY2aCfee64FvTW4';
const TREE = 'amt1Ayt45jfbdw5YSo7iz6WZxUmnZsQTYXy82hVwyC2';
const SHORT = toBase58(Buffer.alloc(31, 1));
const LONG = toBase58(Buffer.alloc(33, 1));
/** Has an own member `__proto__`, which only a JSON parser creates. */
const OWN_PROTO: unknown = JSON.parse(`{"hash": "${KEY}", "owner": "${KEY}", "mint": "${KEY}", "__proto__": 1}`);

function messageOf(parse: (params: unknown) => unknown, params: unknown): string {
  try {
    parse(params);
  } catch (error) {
    if (error instanceof InvalidParamsError) return error.message;
    throw error;
  }
  throw new Error('the params were accepted');
}

const byKey = [getCompressedAccount, getCompressedAccountV2].map((contract) => [contract.name, contract] as const);

describe.each(byKey)('%s', (_, { parseParams }) => {
  it('accepts a hash or an address', () => {
    expect(parseParams({ hash: KEY })).toEqual({ hash: parseHash(KEY) });
    expect(parseParams({ address: KEY })).toEqual({ address: parseHash(KEY) });
  });

  it('accepts null as absent', () => {
    expect(parseParams({ hash: KEY, address: null })).toEqual({ hash: parseHash(KEY) });
    expect(parseParams({ hash: null, address: KEY })).toEqual({ address: parseHash(KEY) });
  });

  it.each([
    [undefined, 'params must be an object with hash, address'],
    [null, 'params must be an object with hash, address'],
    [[KEY], 'params must be an object with hash, address'],
    ['text', 'params must be an object with hash, address'],
    [{}, 'hash or address is required'],
    [{ hash: null, address: null }, 'hash or address is required'],
    [{ hash: KEY, address: KEY }, 'hash and address must not both be given'],
    [{ hash: SHORT }, 'hash must be a hash (base58 of 32 bytes)'],
    [{ hash: LONG }, 'hash must be a hash (base58 of 32 bytes)'],
    [{ hash: '' }, 'hash must be a hash (base58 of 32 bytes)'],
    [{ hash: 'not-base58-0OIl-0OIl-0OIl-0OIl-0OIl' }, 'hash must be a hash (base58 of 32 bytes)'],
    [{ hash: `${KEY} ` }, 'hash must be a hash (base58 of 32 bytes)'],
    [{ address: 5 }, 'address must be a hash (base58 of 32 bytes)'],
    [{ address: [KEY] }, 'address must be a hash (base58 of 32 bytes)'],
    [{ hash: KEY, foo: 1 }, 'params has an unknown member "foo"'],
    [{ hash: KEY, foo: null }, 'params has an unknown member "foo"'],
    [OWN_PROTO, 'params has an unknown member "owner"'],
    [JSON.parse(`{"hash": "${KEY}", "__proto__": {"address": "x"}}`), 'params has an unknown member "__proto__"'],
    [{ hash: KEY, ['x'.repeat(1000)]: 1 }, `params has an unknown member "${'x'.repeat(40)}…"`],
  ])('rejects %j', (params, reason) => {
    expect(messageOf(parseParams, params)).toBe(`Invalid params: ${reason}`);
  });
});

const bySignature = [getTransactionWithCompressionInfo, getTransactionWithCompressionInfoV2].map(
  (contract) => [contract.name, contract] as const,
);

describe.each(bySignature)('%s', (_, { parseParams }) => {
  it('accepts a signature', () => {
    expect(parseParams({ signature: SIGNATURE })).toEqual({ signature: parseSignature(SIGNATURE) });
  });

  it.each([
    [undefined, 'params must be an object with signature'],
    [{}, 'signature is required'],
    [{ signature: null }, 'signature is required'],
    [{ signature: 'abc' }, 'signature must be a signature (base58 of 64 bytes)'],
    [{ signature: KEY }, 'signature must be a signature (base58 of 64 bytes)'],
    [{ signature: SIGNATURE.replace('6', '0') }, 'signature must be a signature (base58 of 64 bytes)'],
    [[SIGNATURE], 'params must be an object with signature'],
  ])('rejects %j', (params, reason) => {
    expect(messageOf(parseParams, params)).toBe(`Invalid params: ${reason}`);
  });
});

const paged = [
  [getCompressionSignaturesForOwner.name, 'owner', getCompressionSignaturesForOwner.parseParams],
  [getCompressionSignaturesForTokenOwner.name, 'owner', getCompressionSignaturesForTokenOwner.parseParams],
  [getCompressedMintTokenHolders.name, 'mint', getCompressedMintTokenHolders.parseParams],
] as const;

describe.each(paged)('%s', (_, subject, parseParams) => {
  it(`accepts ${subject} alone`, () => {
    expect(parseParams({ [subject]: KEY })).toEqual({ [subject]: parsePubkey(KEY), cursor: null, limit: 1000 });
  });

  it('accepts null for the first page and the default limit', () => {
    expect(parseParams({ [subject]: KEY, cursor: null, limit: null })).toMatchObject({ cursor: null, limit: 1000 });
  });

  it.each([0, 1, 1000])('accepts a limit of %d', (limit) => {
    expect(parseParams({ [subject]: KEY, limit })).toMatchObject({ limit });
  });

  it.each([1001, -1, 1.5, '5', true, 1e300, [1]])('rejects a limit of %j', (limit) => {
    expect(messageOf(parseParams, { [subject]: KEY, limit })).toBe(
      'Invalid params: limit must be an integer from 0 to 1000',
    );
  });

  it.each(['', '0OIl', KEY, 7])('rejects a cursor %j', (cursor) => {
    expect(messageOf(parseParams, { [subject]: KEY, cursor })).toBe(
      'Invalid params: cursor must be the cursor of an earlier page of this method',
    );
  });

  it.each([
    [undefined, `params must be an object with ${subject}, cursor, limit`],
    [[KEY], `params must be an object with ${subject}, cursor, limit`],
    [{}, `${subject} is required`],
    [{ [subject]: SHORT }, `${subject} must be a public key (base58 of 32 bytes)`],
    [{ [subject]: KEY, hash: KEY }, 'params has an unknown member "hash"'],
  ])('rejects %j', (params, reason) => {
    expect(messageOf(parseParams, params)).toBe(`Invalid params: ${reason}`);
  });
});

const MAX = 2n ** 248n - 1n;
const addressText = (value: bigint) => toBase58(be32(value));

describe('getMultipleNewAddressProofs', () => {
  const { parseParams } = getMultipleNewAddressProofs;

  it('keeps the order of addresses and duplicates', () => {
    expect(parseParams([addressText(2n), addressText(1n), addressText(2n)])).toEqual([be32(2n), be32(1n), be32(2n)]);
  });

  it('accepts 1000 addresses, the largest that can be derived, and 0', () => {
    expect(parseParams(Array<string>(1000).fill(addressText(MAX - 1n)))).toHaveLength(1000);
    expect(parseParams([addressText(0n)])).toEqual([be32(0n)]);
  });

  it.each([
    [undefined, 'params must be an array of addresses'],
    [null, 'params must be an array of addresses'],
    [{ addresses: [addressText(1n)] }, 'params must be an array of addresses'],
    [[], 'params must contain 1 to 1000 addresses, not 0'],
    [Array<string>(1001).fill(addressText(1n)), 'params must contain 1 to 1000 addresses, not 1001'],
    [[addressText(1n), '0OIl'], 'params[1] must be a hash (base58 of 32 bytes)'],
    [[addressText(1n), null], 'params[1] must be a hash (base58 of 32 bytes)'],
    [[[addressText(1n)]], 'params[0] must be a hash (base58 of 32 bytes)'],
  ])('rejects malformed lists', (params, reason) => {
    expect(messageOf(parseParams, params)).toBe(`Invalid params: ${reason}`);
  });

  it.each([MAX, MAX + 1n, 2n ** 256n - 1n])('rejects %s, which cannot be derived', (value) => {
    const text = addressText(value);
    expect(messageOf(parseParams, [text])).toBe(
      `Invalid params: address ${text} is out of range (derived addresses are below 2^248-1)`,
    );
  });
});

describe('getMultipleNewAddressProofsV2', () => {
  const { parseParams } = getMultipleNewAddressProofsV2;
  const address = addressText(1n);

  it('accepts addresses with their trees', () => {
    expect(parseParams([{ address, tree: TREE }])).toEqual([{ address: be32(1n), tree: parsePubkey(TREE) }]);
    const tenTrees = Array.from({ length: 1000 }, (_, n) => ({ address, tree: toBase58(be32(n % 10)) }));
    expect(parseParams(tenTrees)).toHaveLength(1000);
  });

  it.each([
    [[], 'params must contain 1 to 1000 addresses with trees, not 0'],
    [[address], 'params[0] must be an object with address, tree'],
    [[{ address, tree: TREE }, { address }], 'params[1].tree is required'],
    [[{ address: null, tree: TREE }], 'params[0].address is required'],
    [[{ address, tree: 'abc' }], 'params[0].tree must be a public key (base58 of 32 bytes)'],
    [[{ address, tree: TREE, queue: TREE }], 'params[0] has an unknown member "queue"'],
    [{ address, tree: TREE }, 'params must be an array of addresses with trees'],
    [
      Array.from({ length: 11 }, (_, n) => ({ address, tree: toBase58(be32(n)) })),
      'params must name at most 10 trees, not 11',
    ],
  ])('rejects %j', (params, reason) => {
    expect(messageOf(parseParams, params)).toBe(`Invalid params: ${reason}`);
  });
});

describe.each([
  [getIndexerSlot.name, getIndexerSlot.parseParams],
  [getIndexerHealth.name, getIndexerHealth.parseParams],
  [getIndexerStatus.name, getIndexerStatus.parseParams],
  [liveness.name, liveness.parseParams],
  [readiness.name, readiness.parseParams],
])('%s', (_, parseParams) => {
  it.each([undefined, null, [], {}])('accepts %j as no params', (params) => {
    expect(parseParams(params)).toBeNull();
  });

  it.each([[[1]], [{ a: null }], ['x'], [0], [false]])('rejects %j', (params) => {
    expect(messageOf(parseParams, params)).toBe('Invalid params: this method has no parameters');
  });
});

it('each method has one contract', () => {
  const names = METHOD_CONTRACTS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('getQueueElements', () => {
  const { parseParams } = getQueueElements;
  const queue = (values: object) => ({ tree: KEY, outputQueue: { limit: 1, ...values } });

  it.each([
    [{}, { limit: 1, startIndex: null, zkpBatchSize: 500 }],
    [
      { startIndex: null, zkpBatchSize: null },
      { limit: 1, startIndex: null, zkpBatchSize: 500 },
    ],
    [{ zkpBatchSize: 0 }, { limit: 1, startIndex: null, zkpBatchSize: 500 }],
    [
      { limit: 0, startIndex: 0, zkpBatchSize: 1 },
      { limit: 0, startIndex: 0n, zkpBatchSize: 1 },
    ],
    [
      { limit: 30_000, startIndex: 2 ** 53, zkpBatchSize: 65_535 },
      { limit: 30_000, startIndex: 2n ** 53n, zkpBatchSize: 65_535 },
    ],
  ])('reads a queue with %j', (values, expected) => {
    const { tree, ...queues } = parseParams(queue(values));
    expect(toBase58(tree)).toBe(KEY);
    expect(queues).toEqual({ outputQueue: expected, inputQueue: null, addressQueue: null });
  });

  it('reads several queues', () => {
    const params = { tree: KEY, outputQueue: null, inputQueue: { limit: 2 }, addressQueue: { limit: 3 } };
    expect(parseParams(params)).toMatchObject({
      outputQueue: null,
      inputQueue: { limit: 2 },
      addressQueue: { limit: 3 },
    });
  });

  it.each([
    undefined,
    [],
    {},
    { tree: KEY },
    { tree: KEY, outputQueue: null },
    { outputQueue: { limit: 1 } },
    { tree: 'abc', outputQueue: { limit: 1 } },
    { tree: KEY, outputQueue: {} },
    { tree: KEY, outputQueue: [] },
    { tree: KEY, outputQueue: 5 },
    ...[null, -1, 1.5, '5', 30_001, true].map((limit) => queue({ limit })),
    ...[-1, 0.5, '5', 2 ** 64].map((startIndex) => queue({ startIndex })),
    ...[-1, 65_536, '5'].map((zkpBatchSize) => queue({ zkpBatchSize })),
    queue({ offset: 1 }),
    { ...queue({}), other: 1 },
  ])('rejects %j', (params) => {
    expect(() => parseParams(params)).toThrow(InvalidParamsError);
  });
});
