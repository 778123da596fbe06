import { MAX_U64 } from '@fresnel/domain/primitives';
import { Type } from 'typebox';
import { compileListSerializer, contextText, itemsText, pageText } from './list-text';

const toJson = compileListSerializer(Type.Object({ a: Type.Unsafe<bigint>(Type.Integer()) }), (a: bigint) => ({ a }));

it('writes the items in order, with all digits', async () => {
  expect(await toJson([])).toBe('[]');
  expect(await toJson([MAX_U64, 1n])).toBe('[{"a":18446744073709551615},{"a":1}]');
});

it('lets other work run between the items', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const busyForAWhile = (a: bigint) => {
    const endsAt = performance.now() + 0.1;
    while (performance.now() < endsAt);
    return { a };
  };
  await compileListSerializer(
    Type.Object({ a: Type.Unsafe<bigint>(Type.Integer()) }),
    busyForAWhile,
  )(Array(500).fill(1n));
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

it('writes results and lists with their slot, and pages with their cursor', () => {
  expect(contextText(7, '[]')).toBe('{"context":{"slot":7},"value":[]}');
  expect(itemsText(7, '[1]')).toBe('{"context":{"slot":7},"value":{"items":[1]}}');
  expect(pageText(7, '[1]', 'abc')).toBe('{"context":{"slot":7},"value":{"items":[1],"cursor":"abc"}}');
  expect(pageText(7, '[1]', null, 'list')).toBe('{"context":{"slot":7},"value":{"list":[1],"cursor":null}}');
  expect(pageText(7, '[]', null)).toBe('{"context":{"slot":7},"value":{"items":[],"cursor":null}}');
});
