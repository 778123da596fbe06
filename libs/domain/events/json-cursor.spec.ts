import fc from 'fast-check';
import { MalformedBlockError } from './block';
import { JsonCursor } from './json-cursor';

const PATH = ['result', 'transactions'];

/** The texts of the elements of an array. @param path member names that lead to it */
function sliceArrayElements(json: string, path: readonly string[]): string[] {
  const cursor = new JsonCursor(json);
  let elements: string[] = [];
  const readAt = (depth: number): void => {
    if (depth < path.length) {
      const isObject = cursor.visitMembers((name) => {
        if (name === path[depth]) readAt(depth + 1);
        else cursor.skip();
      });
      if (!isObject) cursor.skip();
      return;
    }
    elements = [];
    if (!cursor.visitElements(() => elements.push(cursor.readText()))) cursor.skip();
  };
  readAt(0);
  cursor.end();
  return elements;
}

const inResult = (array: string) => `{"jsonrpc":"2.0","result":{"transactions":${array}},"id":1}`;

describe('JsonCursor', () => {
  it.each([
    ['numbers above 2^53', ['18446744073709551615', '{"lamports":9007199254740993}', '-9007199254740995']],
    ['numbers in notations that JSON.parse does not keep', ['1.0', '1E+2', '-0', '0.10', '1e400']],
    ['words', ['true', 'false', 'null']],
    ['texts with escapes', ['"a\\"b"', '"\\\\"', '"\\\\\\""', '"\\u0000\\ud83d\\ude00"', '""']],
    ['texts with brackets and commas', ['"]"', '"}{[,"', '{"[":"]\\"}"}', '["{",["\\\\"]]']],
    ['letters beyond ASCII', ['"é€😀"', '{"日本":"語"}']],
    ['empty lists and objects', ['[]', '{}', '[[]]', '{"a":{}}', '[{},[{}]]']],
    ['spaces inside of an element', ['{ "a" :\n[ 1 ,\t2 ] }', '[ ]']],
  ])('keeps %s unchanged', (_, elements) => {
    expect(sliceArrayElements(inResult(`[${elements.join(',')}]`), PATH)).toEqual(elements);
    expect(sliceArrayElements(inResult(`\r\n[\t${elements.join(' ,\n ')} ]`), PATH)).toEqual(elements);
  });

  it('keeps any JSON value', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.nat(3), (values, indent) => {
        const json = JSON.stringify({ other: values, result: { transactions: values, more: values } }, null, indent);
        const slices = sliceArrayElements(json, PATH);
        expect(slices.map((slice) => JSON.stringify(JSON.parse(slice)))).toEqual(
          values.map((value) => JSON.stringify(value)),
        );
        expect(slices.every((slice) => slice === slice.trim() && json.includes(slice))).toBe(true);
      }),
    );
  });

  it('reads elements nested deeper than the call stack allows', () => {
    const deep = `${'[{"a":'.repeat(50_000)}9007199254740993${'}]'.repeat(50_000)}`;
    expect(sliceArrayElements(inResult(`[${deep},1]`), PATH)).toEqual([deep, '1']);
  });

  it.each([
    ['does not exist', '{"result":{}}'],
    ['belongs to another object', '{"result":{"inner":{"transactions":[1]}},"transactions":[2]}'],
    ['is not an array', '{"result":{"transactions":{"0":1}}}'],
    ['is inside an array instead of an object', '{"result":[{"transactions":[1]}]}'],
    ['is inside a string', '{"result":{"a":"\\"transactions\\":[1]"}}'],
    ['is empty', '{"result":{"transactions":[ ]}}'],
  ])('returns an empty list if the array %s', (_, json) => {
    expect(sliceArrayElements(json, PATH)).toEqual([]);
  });

  it.each<[string, string, string[]?]>([
    ['the last of two members with one name', '{"result":1,"result":{"transactions":[1],"transactions":[2]}}'],
    ['names with escapes', '{"res\\u0075lt":{"\\u0074ransactions":[2]}}'],
    ['the root array if the path is empty', '[2]', []],
  ])('reads %s, like JSON.parse', (_, json, path = PATH) => {
    expect(sliceArrayElements(json, path)).toEqual(['2']);
  });

  it('rejects a text that is truncated anywhere', () => {
    const whole = inResult('[{"a":"b\\"]"},[1,{"c":null}],12]').replace(',"id":1', '');
    for (let length = 1; length < whole.length; length++) {
      expect(() => sliceArrayElements(whole.slice(0, length), PATH)).toThrow(MalformedBlockError);
    }
  });

  it.each([
    ['a bracket of the wrong kind', '{"result":{"transactions":[1}}}'],
    ['a comma without an element', '{"result":{"transactions":[1,,2]}}'],
    ['a name without quotes', '{result:{"transactions":[1]}}'],
    ['no colon after a name', '{"result" {"transactions":[1]}}'],
    ['no value after a name', '{"result":,"a":1}'],
    ['only an opening brace', '{'],
  ])('rejects %s', (_, json) => {
    expect(() => sliceArrayElements(json, PATH)).toThrow(MalformedBlockError);
  });
});
