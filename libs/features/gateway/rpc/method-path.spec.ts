import { methodOfPath } from './method-path';

it.each([
  ['/', null],
  ['', null],
  ['//', null],
  ['/?api-key=1', null],
  ['/?a=/b', null],
  ['http://example.org', null],
  ['http://example.org?x', null],
  ['/getIndexerSlot', 'getIndexerSlot'],
  ['/getIndexerSlot/', 'getIndexerSlot'],
  ['/getIndexerSlot?api-key=1', 'getIndexerSlot'],
  ['/getIndexerSlot/?a=b#c', 'getIndexerSlot'],
  ['https://example.org:8080/getIndexerSlot', 'getIndexerSlot'],
  ['//getIndexerSlot?api-key=1', 'getIndexerSlot'],
  ['///getIndexerSlot/', 'getIndexerSlot'],
  ['https://example.org//getIndexerSlot', 'getIndexerSlot'],
  ['/v1/getIndexerSlot', 'v1/getIndexerSlot'],
  ['/__proto__', '__proto__'],
  ['*', '*'],
])('%s names %s', (target, method) => {
  expect(methodOfPath(target)).toBe(method);
});
