import { WEBSOCKET_CONTRACTS } from '@fresnel/contracts/rpc';
import { fuzz, hostileJson } from '@fresnel/testing/generic';
import { readClientFrame } from './client-call';

const CALLS = WEBSOCKET_CONTRACTS.map(({ name: method, example: { params } }, id) => ({
  ...{ jsonrpc: '2.0', id, method, params },
}));

/** Ids are copied into answers. */
function expectJson(text: string): void {
  expect(JSON.stringify(JSON.parse(text))).toBe(text);
}

describe('a frame of a WebSocket client', () => {
  it('has one of the known kinds, for any text', () => {
    fuzz(hostileJson(CALLS.map((call) => JSON.stringify(call))), (text) => {
      const frame = readClientFrame(text);
      if (frame.kind === 'call') expectJson(frame.call.id);
      if (frame.kind === 'invalid') expectJson(frame.id);
    });
  });
});
