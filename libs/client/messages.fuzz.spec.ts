import { CONTRACTS } from '@fresnel/contracts/rpc';
import { fuzz, hostileJson, writeExactJson } from '@fresnel/testing/generic';
import { Delivery } from './delivery';
import { readFrame } from './messages';

const { result: example } = CONTRACTS.getTransactionWithCompressionInfoV2.example;
const RESULTS = [
  {
    type: 'transaction',
    slot: 5,
    index: 3,
    signature: 'x',
    blockTime: 1_700_000_000,
    ...example?.compressionInfo,
  },
  { type: 'slot', slot: 5, blockhash: null, cursor: 'abc' },
  { type: 'rollback', slot: 4, blockhash: 'x' },
];
const FRAMES = [
  ...RESULTS.map((result) => ({
    jsonrpc: '2.0',
    method: 'n',
    params: { subscription: 1, result },
  })),
  { jsonrpc: '2.0', id: 1, result: 5 },
  { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } },
];

describe('a frame of the server', () => {
  it('has one of the known kinds, or is no JSON', () => {
    fuzz(
      hostileJson(FRAMES.map(writeExactJson)),
      (text) => {
        const frame = readFrame(text);
        if (frame.kind === 'message') new Delivery(undefined).accept(frame.message);
      },
      { throws: [SyntaxError, RangeError], known: ['null'] },
    );
  });
});
