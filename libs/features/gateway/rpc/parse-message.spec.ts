import { type Call, type Message, parseMessage } from './parse-message';

const RULES = { pathMethod: null, maxBatchEntries: 3 };
const CALL = { jsonrpc: '2.0', id: 'test-account', method: 'getIndexerSlot', params: [] };

function parse(body: unknown, rules: { pathMethod: string | null; maxBatchEntries: number } = RULES): Message {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return parseMessage(Buffer.from(text), rules);
}

function onlyCall(message: Message): Call {
  expect(message.calls).toHaveLength(1);
  return message.calls[0];
}

const PARSE_ERROR = { id: 'null', failure: { kind: { code: -32700, httpStatus: 200 }, message: 'Parse error' } };

function invalid(reason: string, id = 'null') {
  return { id, failure: { kind: { code: -32600, httpStatus: 200 }, message: `Invalid Request: ${reason}` } };
}

describe('a body that is not JSON', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['blanks', Buffer.from(' \n')],
    ['text', Buffer.from('hello')],
    ['half an object', Buffer.from('{"jsonrpc":"2.0"')],
    ['two objects', Buffer.from('{}{}')],
    ['a comment', Buffer.from('/**/{}')],
    ['single quotes', Buffer.from("{'id':1}")],
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(CALL)}`)],
    ['a NUL byte', Buffer.from(`${JSON.stringify(CALL)}\0`)],
    ['a NUL byte inside a string', Buffer.from('{"id":"\0"}')],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xff]), Buffer.from('"}')])],
    [
      'half a surrogate pair in bytes',
      Buffer.concat([Buffer.from('"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"')]),
    ],
    ['UTF-16', Buffer.from(JSON.stringify(CALL), 'utf16le')],
    ['a megabyte of brackets', Buffer.from('['.repeat(1024 * 1024))],
    ['a megabyte of opened objects', Buffer.from('{"a":'.repeat(200_000))],
    ['NaN', Buffer.from('NaN')],
  ])('%s is a parse error', (_, body) => {
    expect(onlyCall(parseMessage(body, RULES))).toMatchObject(PARSE_ERROR);
  });
});

describe('a call', () => {
  it('is parsed', () => {
    expect(parse(CALL)).toEqual({
      isBatch: false,
      calls: [{ id: '"test-account"', method: 'getIndexerSlot', params: [] }],
    });
  });

  it('may omit params and have other members', () => {
    expect(onlyCall(parse({ ...CALL, params: undefined, auth: 'x' }))).toMatchObject({
      method: 'getIndexerSlot',
      params: undefined,
    });
  });

  it.each(['null', 'true', '5', '"text"', '1e400'])('is not %s', (body) => {
    expect(parse(body)).toMatchObject({ isBatch: false, calls: [invalid('not an object')] });
  });

  it.each([
    ['"test-account"', '"test-account"'],
    ['"1"', '"1"'],
    ['""', '""'],
    ['1', '1'],
    ['0', '0'],
    ['-7', '-7'],
    ['1e2', '100'],
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
    ['null', 'null'],
    ['"\\ud800"', '"\\ud800"'],
    ['"\\u0000\\n"', '"\\u0000\\n"'],
    ['"é😀"', '"é😀"'],
  ])('with id %s is echoed as %s', (id, echo) => {
    expect(onlyCall(parse(`{"jsonrpc":"2.0","id":${id},"method":"m"}`)).id).toBe(echo);
  });

  it.each([
    '9007199254740992',
    '9007199254740993',
    '18446744073709551615',
    '1e300',
    '1.5',
    'true',
    'false',
    '[]',
    '[1]',
    '{}',
  ])('with id %s is rejected with a null id', (id) => {
    expect(onlyCall(parse(`{"jsonrpc":"2.0","id":${id},"method":"m"}`))).toMatchObject(
      invalid('id must be a string, an integer or null'),
    );
  });

  it('without id is rejected', () => {
    expect(onlyCall(parse({ jsonrpc: '2.0', method: 'm' }))).toMatchObject(invalid('id is required'));
  });

  it.each(['1.0', 2, 2.0, null, undefined, ['2.0']])('of version %j is rejected', (jsonrpc) => {
    expect(onlyCall(parse({ ...CALL, jsonrpc }))).toMatchObject(invalid('jsonrpc must be "2.0"', '"test-account"'));
  });

  it.each([5, null, undefined, ['m'], { a: 1 }])('of method %j is rejected', (method) => {
    expect(onlyCall(parse({ ...CALL, method }))).toMatchObject(invalid('method must be a string', '"test-account"'));
  });

  it('of another method than the path names is rejected', () => {
    const rules = { ...RULES, pathMethod: 'getIndexerHealth' };
    expect(onlyCall(parse(CALL, rules))).toMatchObject(invalid('method does not match the path', '"test-account"'));
    expect(onlyCall(parse(CALL, { ...RULES, pathMethod: 'getIndexerSlot' }))).toMatchObject({
      method: 'getIndexerSlot',
    });
  });

  it('has its own members only', () => {
    expect(onlyCall(parse('{"__proto__":{"id":1,"jsonrpc":"2.0","method":"m"}}'))).toMatchObject(
      invalid('id is required'),
    );
    expect(onlyCall(parse('{"id":1,"__proto__":{"jsonrpc":"2.0"},"method":"m"}'))).toMatchObject(
      invalid('jsonrpc must be "2.0"', '1'),
    );
  });

  it('has the last of several members with the same name', () => {
    expect(onlyCall(parse('{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}'))).toMatchObject({
      id: '2',
      method: 'b',
    });
  });

  it('may have members of any depth', () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(onlyCall(parse(`{"jsonrpc":"2.0","id":1,"method":"m","params":${deep}}`))).toMatchObject({ method: 'm' });
    expect(onlyCall(parse(`{"jsonrpc":"2.0","id":${deep},"method":"m"}`))).toMatchObject({ id: 'null' });
  });
});

describe('a batch', () => {
  it('has an entry for each call, in order', () => {
    const { isBatch, calls } = parse([CALL, { jsonrpc: '2.0', method: 'm' }, 'garbage']);
    expect(isBatch).toBe(true);
    expect(calls).toMatchObject([{ method: 'getIndexerSlot' }, invalid('id is required'), invalid('not an object')]);
  });

  it('may have one call, or nested arrays, which are not calls', () => {
    expect(parse([CALL])).toMatchObject({ isBatch: true, calls: [{ method: 'getIndexerSlot' }] });
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(parse(deep)).toMatchObject({ isBatch: true, calls: [invalid('not an object')] });
  });

  it('that is empty is rejected', () => {
    expect(parse([])).toMatchObject({ isBatch: false, calls: [invalid('the batch is empty')] });
  });

  it('with too many entries is rejected as a whole', () => {
    expect(parse([CALL, CALL, CALL]).calls).toHaveLength(3);
    expect(parse([CALL, CALL, CALL, CALL])).toMatchObject({
      isBatch: false,
      calls: [invalid('the batch has more than 3 entries')],
    });
  });

  it('on the path of a method rejects each entry of another method', () => {
    const { calls } = parse([CALL, { ...CALL, method: 'other' }], { ...RULES, pathMethod: 'getIndexerSlot' });
    expect(calls).toMatchObject([
      { method: 'getIndexerSlot' },
      invalid('method does not match the path', '"test-account"'),
    ]);
  });
});
