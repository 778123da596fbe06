import { type Asked, compareAnswers, findPair } from './compare-answers';

const PAUSES = { firstMs: 0, longestMs: 0 };
const { signal } = new AbortController();

/** Gives answers one after the other, the last one again and again. */
function answering(...answers: (Asked | [slot: number, value: unknown])[]) {
  const rest = [...answers];
  let asked = 0;
  const ask = () => {
    asked++;
    const answer = rest.length > 1 ? rest.splice(0, 1)[0] : rest[0];
    return Promise.resolve(Array.isArray(answer) ? { slot: answer[0], value: answer[1] } : answer);
  };
  return Object.assign(ask, { count: () => asked });
}

const compare = (index: ReturnType<typeof answering>, other: ReturnType<typeof answering>) =>
  compareAnswers(index, other, { pauses: PAUSES, signal });

describe('the comparison of answers', () => {
  it('compares answers of one slot at once', async () => {
    const [index, other] = [answering([100, { a: 1n }]), answering([100, { a: 1n }])];
    expect(await compare(index, other)).toMatchObject({ result: 'equal' });
    expect([index.count(), other.count()]).toEqual([1, 1]);
  });

  it('asks again until an unchanged answer encloses the slot of the other', async () => {
    const [index, other] = [answering([100, 1], [102, 1]), answering([101, 1], [103, 1])];
    expect(await compare(index, other)).toMatchObject({ result: 'equal' });
    expect(index.count()).toBe(2);
  });

  it('waits for an index that is behind', async () => {
    const [index, other] = [answering([100, 5], [110, 6]), answering([90, 4], [95, 4], [99, 5], [101, 5])];
    expect(await compare(index, other)).toMatchObject({ result: 'equal' });
    expect(other.count()).toBe(4);
  });

  it('does not compare an answer that changed around the slot of the other', async () => {
    const index = answering([100, 1], [102, 2], [104, 3], [106, 4], [108, 5]);
    const other = answering([101, 9], [103, 9], [105, 8], [107, 7], [109, 6]);
    expect(await compare(index, other)).toEqual({
      result: 'not-checked',
      reason: 'no answers of one slot: the last ones are of 108 and 109',
    });
    expect([index.count(), other.count()]).toEqual([5, 5]);
  });

  it('reports a difference that is found twice, with both answers and their slots', async () => {
    const [index, other] = [
      answering([100, { items: [1, 2] }], [101, { items: [1, 2] }]),
      answering([100, { items: [1] }], [101, { items: [1, 3] }]),
    ];
    expect(await compare(index, other)).toEqual({
      result: 'differs',
      at: '.items[1]',
      answers: [
        { by: 'index', slot: 101, answer: 2 },
        { by: 'against', slot: 101, answer: 3 },
      ],
    });
  });

  it('does not report a difference that is found once: slot and answer of an indexer may be of two times', async () => {
    const [index, other] = [answering([100, 1], [101, 1]), answering([100, 0], [101, 1])];
    expect(await compare(index, other)).toMatchObject({ result: 'equal' });
    const moving = [
      answering([100, 1], [101, 2], [103, 3], [105, 4], [107, 5]),
      answering([100, 0], [102, 2], [104, 3], [106, 4], [108, 5]),
    ];
    expect(await compare(moving[0], moving[1])).toMatchObject({ result: 'not-checked' });
  });

  it('asks again after failures, and names the last one', async () => {
    const failure = { failure: 'error -32603: Internal error' };
    expect(await compare(answering(failure, [100, 1]), answering([100, 1]))).toMatchObject({ result: 'equal' });
    expect(await compare(answering([100, 1]), answering(failure))).toEqual({
      result: 'not-checked',
      reason: 'the other index: error -32603: Internal error',
    });
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const asking = { pauses: { firstMs: 60_000, longestMs: 60_000 }, signal: controller.signal };
    const compared = compareAnswers(answering([100, 1]), answering([101, 1]), asking);
    controller.abort(new Error('interrupted'));
    await expect(compared).rejects.toThrow('interrupted');
  });
});

describe('findPair', () => {
  it('takes the readings next to a slot', () => {
    const of = (slot: number, value: number) => ({ slot, value });
    const changing = [of(100, 1), of(102, 2), of(105, 1)];
    expect(findPair(changing, [of(103, 1)])).toBeNull();
    expect(findPair([of(103, 1)], [of(104, 3), of(102, 3)])).toEqual([of(103, 1), of(104, 3)]);
  });
});
