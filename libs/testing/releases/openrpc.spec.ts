import { compareOpenRpc, type OpenRpc } from './openrpc';

type Method = OpenRpc['methods'][number];

const TEXT = { type: 'string' };
const SUBSCRIBE: Method = {
  name: 'subscribe',
  tags: [{ name: 'websocket' }],
  params: [{ schema: TEXT, required: true }],
  result: { schema: { type: 'integer' } },
  errors: [{ code: -32602 }, { code: -32000 }],
};

const document = (...methods: Method[]): OpenRpc => ({ methods, components: { schemas: {} } });

/** The breaches of a subscription that has changed. */
const breaches = (changed: Partial<Method>) =>
  compareOpenRpc(document(SUBSCRIBE), document({ ...SUBSCRIBE, ...changed })).map(({ problem }) => problem);

describe('the rule for OpenRPC', () => {
  it('permits further methods, optional params and errors', () => {
    expect(compareOpenRpc(document(SUBSCRIBE), document(SUBSCRIBE, { ...SUBSCRIBE, name: 'other' }))).toEqual([]);
    expect(breaches({ params: [...SUBSCRIBE.params, { schema: TEXT, required: false }] })).toEqual([]);
    expect(breaches({ errors: [...SUBSCRIBE.errors, { code: -32005 }] })).toEqual([]);
  });

  it('refuses that a method or the code of an error is gone', () => {
    expect(compareOpenRpc(document(SUBSCRIBE), document())).toEqual([{ of: 'method subscribe', problem: 'is gone' }]);
    expect(breaches({ errors: [{ code: -32602 }, { code: -32001 }] })).toEqual(['error -32000 is gone']);
    expect(breaches({ tags: [{ name: 'http' }], errors: [] })).toHaveLength(2);
  });

  it('refuses other params and results of a method of WebSockets', () => {
    expect(breaches({ params: [] })).toEqual(['params[0] is gone']);
    expect(breaches({ params: [{ schema: { type: 'integer' }, required: true }] })).toEqual([
      'params[0]: type was string and is integer',
    ]);
    expect(breaches({ params: [...SUBSCRIBE.params, { schema: TEXT, required: true }] })).toEqual([
      'params[1] is required and was not',
    ]);
    expect(breaches({ result: { schema: TEXT } })).toEqual(['result: type was integer and is string']);
  });
});
