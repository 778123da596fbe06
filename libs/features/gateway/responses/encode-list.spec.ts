import { textOf } from '@fresnel/testing/generic';
import { encodeList, encodeObject } from './encode-list';

const toJson = (value: unknown) => JSON.stringify(value);

describe('encodeList', () => {
  it.each([[[]], [['a']], [['a', 'ä', '"']]])('writes %j', async (items) => {
    expect(textOf(await encodeList(items, toJson))).toBe(JSON.stringify(items));
  });

  it('writes items of two and three bytes a character, and longer ones than a part', async () => {
    const items = ['ä'.repeat(5_000), '€'.repeat(5_000), 'a', '€'.repeat(40_000), 'b'];
    expect(textOf(await encodeList(items, toJson))).toBe(JSON.stringify(items));
  });

  it('writes a long list in parts, while timers run', async () => {
    const numbers = Array.from({ length: 300_000 }, (_, at) => ({ at }));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const parts = await encodeList(numbers, toJson);
    clearInterval(timer);
    expect(textOf(parts)).toBe(JSON.stringify(numbers));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(70_000);
    expect(ticks).toBeGreaterThan(5);
  });
});

describe('encodeObject', () => {
  it('writes text and parts, and omits members that are absent', () => {
    const list = [Buffer.from('[1,'), Buffer.from('2]')];
    expect(textOf(encodeObject({ none: null, list, text: '"a"', nothing: null }))).toBe('{"list":[1,2],"text":"a"}');
    expect(textOf(encodeObject({ none: null }))).toBe('{}');
  });
});
