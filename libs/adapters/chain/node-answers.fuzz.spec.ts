import { MalformedBlockError } from '@fresnel/domain/events';
import { asSlots, MalformedTextError, toBase58, toSlot } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { fuzz, hostileJson, hostileText } from '@fresnel/testing/generic';
import { readNodeAccounts } from './node-accounts';
import { retryAfterMs } from './post-to-node';
import { readBlock } from './read-block';
import { NoAnswerError, readAnswer, readRefusal, type ResultParser, RpcAnswerError } from './rpc-answer';
import { parseHeader } from './rpc.get-block';

const throws = [MalformedTextError, MalformedBlockError, NoAnswerError, RpcAnswerError];
const BLOCKS = [...generateLedger({ seed: 31, slots: 8, transactionsPerSlot: 2 })];
const SLOT = toSlot(BLOCKS[0].slot);
const ACCOUNT = {
  ...{
    lamports: 5,
    data: [Buffer.of(0, 1, 2).toString('base64'), 'base64'],
    owner: toBase58(GENERATED_PROGRAMS.accountCompression),
  },
  ...{ executable: false, rentEpoch: 361, space: 3 },
};
const ACCOUNTS = JSON.stringify({ context: { apiVersion: '2.0', slot: 9 }, value: [ACCOUNT, null] });
const ERROR = { code: -32602, message: 'Invalid params', data: { logs: [] } };
const answerOf = (result: string) => `{"jsonrpc":"2.0","result":${result},"id":1}`;

/** Reads a block of any slot. */
const BLOCK_READER: ResultParser<unknown> = {
  read: (result) =>
    readBlock(result, { slot: null, accountCompression: GENERATED_PROGRAMS.accountCompression, signaturesFrom: 0 }),
};

describe('the answer of a node', () => {
  it.each<[string, ResultParser<unknown>, string[]]>([
    ['a block', BLOCK_READER, BLOCKS.map(({ json }) => json)],
    ['the header of a block', { parse: (result) => parseHeader(SLOT, result) }, [BLOCKS[0].json]],
    ['slots', { parse: asSlots }, ['[1,2,3,4294967296]']],
    ['accounts', { read: (result) => readNodeAccounts(result, 2) }, [ACCOUNTS]],
  ])('is %s, an error, or rejected', (_, reader, results) => {
    fuzz(hostileJson(results.map(answerOf)), (text) => readAnswer(text, 1, reader), { throws });
  });

  it('with an error has its code, or is rejected', () => {
    const samples = [{ error: ERROR }, { result: null, error: null }, { error: ERROR, result: 5 }];
    const texts = samples.map((sample) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...sample }));
    fuzz(hostileJson(texts), (text) => readAnswer(text, 1, { parse: (result) => result }), { throws });
    fuzz(hostileJson(texts), (text) => readRefusal(text, 400, 0));
  });

  it('may name any time in Retry-After', () => {
    fuzz(hostileText(['120', 'Wed, 21 Oct 2015 07:28:00 GMT']), (header) => {
      const ms = retryAfterMs(header);
      expect(ms >= 0 && ms <= 60_000).toBe(true);
    });
  });
});
