import { MAX_U64 } from '@fresnel/domain/primitives';
import { textOf } from '@fresnel/testing/generic';
import { Type } from 'typebox';
import { compileListSerializer, contextText, itemsText, pageText } from './list-text';

const A = Type.Object({ a: Type.Unsafe<bigint>(Type.Integer()) });
const toItemsJson = compileListSerializer(A);
const present = (a: bigint) => ({ a });

it('writes the items in order, with all digits', async () => {
  expect(textOf(await toItemsJson([], present))).toBe('[]');
  expect(textOf(await toItemsJson([MAX_U64, 1n], present))).toBe('[{"a":18446744073709551615},{"a":1}]');
});

it('lets other work run between the items', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  const busyForAWhile = (a: bigint) => {
    const endsAt = performance.now() + 0.1;
    while (performance.now() < endsAt);
    return { a };
  };
  await toItemsJson(Array<bigint>(500).fill(1n), busyForAWhile);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

it('writes results and lists with their slot, and pages with their cursor', () => {
  expect(textOf(contextText(7, '[]'))).toBe('{"context":{"slot":7},"value":[]}');
  expect(textOf(itemsText(7, '[1]'))).toBe('{"context":{"slot":7},"value":{"items":[1]}}');
  expect(textOf(pageText(7, '[1]', 'abc'))).toBe('{"context":{"slot":7},"value":{"items":[1],"cursor":"abc"}}');
  expect(textOf(pageText(7, '[1]', null, 'list'))).toBe('{"context":{"slot":7},"value":{"list":[1],"cursor":null}}');
  expect(textOf(pageText(7, '[]', null))).toBe('{"context":{"slot":7},"value":{"items":[],"cursor":null}}');
});
