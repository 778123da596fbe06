import { type Call, type Message, readMessage } from './read-message';

const RULES = { pathMethod: null, maxBatchEntries: 3 };
const CALL = { jsonrpc: '2.0', id: 'test-account', method: 'getIndexerSlot', params: [] };

function read(body: unknown, rules: { pathMethod: string | null; maxBatchEntries: number } = RULES): Message {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readMessage(Buffer.from(text), rules);
}

function only(message: Message): Call {
  expect(message.calls).toHaveLength(1);
  return message.calls[0];
}

const PARSE_ERROR = { id: 'null', failure: { kind: { code: -32700, httpStatus: 200 }, message: 'Parse error' } };

function refused(why: string, id = 'null') {
  return { id, failure: { kind: { code: -32600, httpStatus: 200 }, message: `Invalid Request: ${why}` } };
}

describe('a body that is no JSON', () => {
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
    expect(only(readMessage(body, RULES))).toMatchObject(PARSE_ERROR);
  });
});

describe('a call', () => {
  it('is read', () => {
    expect(read(CALL)).toEqual({
      isBatch: false,
      calls: [{ id: '"test-account"', method: 'getIndexerSlot', params: [] }],
    });
  });

  it('may leave out params and have members of its own', () => {
    expect(only(read({ ...CALL, params: undefined, auth: 'x' }))).toMatchObject({
      method: 'getIndexerSlot',
      params: undefined,
    });
  });

  it.each(['null', 'true', '5', '"text"', '1e400'])('is not %s', (body) => {
    expect(read(body)).toMatchObject({ isBatch: false, calls: [refused('not an object')] });
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
  ])('with id %s is answered with id %s', (id, echo) => {
    expect(only(read(`{"jsonrpc":"2.0","id":${id},"method":"m"}`)).id).toBe(echo);
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
  ])('with id %s is refused without one', (id) => {
    expect(only(read(`{"jsonrpc":"2.0","id":${id},"method":"m"}`))).toMatchObject(
      refused('id must be a string, an integer or null'),
    );
  });

  it('without id is refused', () => {
    expect(only(read({ jsonrpc: '2.0', method: 'm' }))).toMatchObject(refused('id is required'));
  });

  it.each(['1.0', 2, 2.0, null, undefined, ['2.0']])('of version %j is refused', (jsonrpc) => {
    expect(only(read({ ...CALL, jsonrpc }))).toMatchObject(refused('jsonrpc must be "2.0"', '"test-account"'));
  });

  it.each([5, null, undefined, ['m'], { a: 1 }])('of method %j is refused', (method) => {
    expect(only(read({ ...CALL, method }))).toMatchObject(refused('method must be a string', '"test-account"'));
  });

  it('to another method than the path names is refused', () => {
    const rules = { ...RULES, pathMethod: 'getIndexerHealth' };
    expect(only(read(CALL, rules))).toMatchObject(refused('method is not the one of the path', '"test-account"'));
    expect(only(read(CALL, { ...RULES, pathMethod: 'getIndexerSlot' }))).toMatchObject({ method: 'getIndexerSlot' });
  });

  it('is made of its own members only', () => {
    expect(only(read('{"__proto__":{"id":1,"jsonrpc":"2.0","method":"m"}}'))).toMatchObject(refused('id is required'));
    expect(only(read('{"id":1,"__proto__":{"jsonrpc":"2.0"},"method":"m"}'))).toMatchObject(
      refused('jsonrpc must be "2.0"', '1'),
    );
  });

  it('is what its last of several equal members says', () => {
    expect(only(read('{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}'))).toMatchObject({
      id: '2',
      method: 'b',
    });
  });

  it('is read whatever the depth of its parts', () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(only(read(`{"jsonrpc":"2.0","id":1,"method":"m","params":${deep}}`))).toMatchObject({ method: 'm' });
    expect(only(read(`{"jsonrpc":"2.0","id":${deep},"method":"m"}`))).toMatchObject({ id: 'null' });
  });
});

describe('a batch', () => {
  it('holds an entry for each of its calls, in order', () => {
    const { isBatch, calls } = read([CALL, { jsonrpc: '2.0', method: 'm' }, 'garbage']);
    expect(isBatch).toBe(true);
    expect(calls).toMatchObject([{ method: 'getIndexerSlot' }, refused('id is required'), refused('not an object')]);
  });

  it('may be of one call, or nest arrays that are no calls', () => {
    expect(read([CALL])).toMatchObject({ isBatch: true, calls: [{ method: 'getIndexerSlot' }] });
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    expect(read(deep)).toMatchObject({ isBatch: true, calls: [refused('not an object')] });
  });

  it('that is empty is refused', () => {
    expect(read([])).toMatchObject({ isBatch: false, calls: [refused('the batch is empty')] });
  });

  it('with too many entries is refused whole', () => {
    expect(read([CALL, CALL, CALL]).calls).toHaveLength(3);
    expect(read([CALL, CALL, CALL, CALL])).toMatchObject({
      isBatch: false,
      calls: [refused('the batch has more than 3 entries')],
    });
  });

  it('on the path of a method is held to it entry by entry', () => {
    const { calls } = read([CALL, { ...CALL, method: 'other' }], { ...RULES, pathMethod: 'getIndexerSlot' });
    expect(calls).toMatchObject([
      { method: 'getIndexerSlot' },
      refused('method is not the one of the path', '"test-account"'),
    ]);
  });
});
