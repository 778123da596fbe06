import { poseidon, poseidonBatch } from '@fresnel/domain/poseidon';
import { hashInSeries, type HashSeries } from '@fresnel/domain/primitives';
import { decodeTransactionJson } from '@fresnel/domain/chain/transaction-json';
import { sha256 } from '@fresnel/testing/address-trees';
import { join } from 'node:path';
import { WorkerPool } from './worker-pool';

/** Lets threads load TypeScript. */
const execArgv = ['-r', join(__dirname, '../../../tools/register.cjs')];

function fieldElements(count: number): Buffer {
  const elements = Array.from({ length: count }, (_, at) => sha256([Buffer.from(String(at))]));
  for (const element of elements) element[0] = 0;
  return Buffer.concat(elements);
}

/** They take some seconds. Timers run long before their end. */
const MANY_BATCHES = 20_000;

/** Each hash but the first one is of a value and of the previous hash. */
function chainOf(length: number): HashSeries {
  const operands = Array.from({ length }, (_, at) => [at === 0 ? length : -at, at]);
  return { values: fieldElements(length + 1), operands: Int32Array.from(operands.flat()) };
}

describe('WorkerPool', () => {
  const pool = new WorkerPool({ threads: 3, execArgv });
  afterAll(() => pool.close());

  it.each([1, 2, 63, 64, 95, 96, 97, 1_000])('hashes a batch of %d groups in their order', async (groups) => {
    for (const arity of [2, 3]) {
      const inputs = fieldElements(groups * arity);
      expect(await pool.hashBatch(arity, inputs)).toEqual(poseidonBatch(arity, inputs));
    }
  });

  it.each([0, 1, 31, 32, 500])('hashes a series of %d hashes', async (length) => {
    const hashes = await pool.hashSeries(chainOf(length));
    expect(hashes).toEqual(hashInSeries(chainOf(length), poseidon));
    expect(hashes).toHaveLength(length * 32);
  });

  it('leaves the inputs as they are', async () => {
    const inputs = fieldElements(400);
    await pool.hashBatch(2, inputs);
    expect(inputs).toEqual(fieldElements(400));
    const series = chainOf(400);
    await pool.hashSeries(series);
    expect(series).toEqual(chainOf(400));
  });

  it.each([1, 500])('hashes concurrent batches of %d groups', async (groups) => {
    const inputs = Array.from({ length: 6 }, (_, at) => fieldElements((groups + at) * 2));
    const hashes = await Promise.all(inputs.map((each) => pool.hashBatch(2, each)));
    expect(hashes).toEqual(inputs.map((each) => poseidonBatch(2, each)));
  });

  it('lets timers run while it hashes many small batches', async () => {
    const inputs = fieldElements(120);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    for (let batch = 0; batch < MANY_BATCHES && ticks < 10; batch++) await pool.hashBatch(2, inputs);
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(10);
  });

  it.each([1, 500])('rejects inputs that are not below the modulus, in a batch of %d groups', async (groups) => {
    const inputs = fieldElements(groups * 2);
    inputs.fill(0xff, inputs.length - 32);
    await expect(pool.hashBatch(2, inputs)).rejects.toThrow('a Poseidon input is not a field element');
    const series = chainOf(groups);
    series.values.fill(0xff, 0, 32);
    await expect(pool.hashSeries(series)).rejects.toThrow('a Poseidon input is not a field element');
    expect(await pool.hashBatch(2, fieldElements(200))).toEqual(poseidonBatch(2, fieldElements(200)));
  });

  it.each([0, 1, 15, 16, 64, 65, 300])('encodes the JSON of %d transactions in their order', async (count) => {
    const transactions = Array.from({ length: count }, (_, at) => ({
      json: `{"slot":${at},"logMessages":["${'✓'.repeat(at)}"]}`,
      known: [sha256([Buffer.of(at)]), Buffer.alloc(at)],
    }));
    const encoded = await pool.encodeJson(transactions);
    expect(encoded.map((bytes, at) => decodeTransactionJson(bytes, transactions[at].known))).toEqual(
      transactions.map(({ json }) => json),
    );
  });

  it('hashes before it encodes the transactions that already wait', async () => {
    // Of several threads, the one that hashes may start after another one has encoded everything.
    const single = new WorkerPool({ threads: 1, execArgv });
    const transactions = Array.from({ length: 1_000 }, (_, at) => ({ json: `{"slot":${at}}`, known: [] }));
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    const encoding = single.encodeJson(transactions).then(note('encoded'));
    await Promise.all([encoding, single.hashBatch(2, fieldElements(400)).then(note('hashed'))]);
    expect(ended).toEqual(['hashed', 'encoded']);
    await single.close();
  });
});
