import { fuzz, hostileJson } from '@fresnel/testing/generic';
import { readNodeMessage } from './node-message';

const MESSAGES = [
  { jsonrpc: '2.0', id: 1, result: 5 },
  {
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32602, message: 'Invalid params', data: [] },
  },
  {
    jsonrpc: '2.0',
    method: 'signatureNotification',
    params: {
      subscription: 5,
      result: { context: { slot: 7 }, value: { err: null } },
    },
  },
];

const DEEP = `${'['.repeat(7_500)}${']'.repeat(7_500)}`;

describe('a message of the node', () => {
  it('has one of the known kinds, or is ignored', () => {
    fuzz(hostileJson(MESSAGES.map((message) => JSON.stringify(message))), readNodeMessage, {
      known: [`{"id":1,"error":${DEEP}}`, `{"id":1,"result":${DEEP}}`],
    });
  });
});
