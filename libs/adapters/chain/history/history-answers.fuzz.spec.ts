import { MalformedBlockError } from '@fresnel/domain/events';
import { MalformedTextError, toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { fuzz, hostileJson } from '@fresnel/testing/generic';
import { readHistoryLedger } from '@fresnel/testing/history';
import { NoAnswerError, readAnswer, RpcAnswerError } from '../rpc-answer';
import { type GtfaTransaction, readFullItem, readGtfaResult, readSignatureItem } from './gtfa-items';
import { GtfaOrder } from './gtfa-order';
import { HistoryAnswerError } from './history-source';
import { readBlock, readCount } from './sqd-block';
import { SqdCoverage } from './sqd-coverage';
import { toHistoryPage } from './to-history-page';

const LEDGER = readHistoryLedger([...generateLedger({ seed: 29, slots: 12, transactionsPerSlot: 2 })]);
const RANGE = { from: toSlot(0), to: toSlot(1_000_000) };

describe('an answer of getTransactionsForAddress', () => {
  const answerOf = (items: readonly string[]) =>
    `{"jsonrpc":"2.0","id":1,"result":{"data":[${items.join()}],"paginationToken":"7:1"}}`;
  const throws = [MalformedTextError, MalformedBlockError, NoAnswerError, RpcAnswerError, HistoryAnswerError];

  it('gives transactions, or is rejected', () => {
    const samples = LEDGER.map(({ transactions }) =>
      answerOf(
        transactions.map(({ slot, index, blockTime, json }) => {
          return `{"slot":${slot},"transactionIndex":${index},"blockTime":${blockTime},${json.slice(1)}`;
        }),
      ),
    );
    fuzz(
      hostileJson(samples),
      (text) => {
        const { items } = readAnswer(text, 1, { read: (result) => readGtfaResult(result, readFullItem) });
        toHistoryPage(RANGE, new GtfaOrder<GtfaTransaction>(RANGE).accept(items));
      },
      { throws },
    );
  });

  it('gives signatures, or is rejected', () => {
    const samples = LEDGER.map(({ transactions }) =>
      answerOf(
        transactions.map(({ slot, index, blockTime, signature }) =>
          JSON.stringify({ ...{ slot, transactionIndex: index, blockTime, signature }, err: null, memo: null }),
        ),
      ),
    );
    fuzz(
      hostileJson(samples),
      (text) => {
        const { items } = readAnswer(text, 1, { read: (result) => readGtfaResult(result, readSignatureItem) });
        new GtfaOrder(RANGE).accept(items);
      },
      { throws },
    );
  });
});

describe('a line of the Portal', () => {
  const LINES = LEDGER.map(({ slot, hash, parentSlot, parentHash, blockTime, transactions }) =>
    JSON.stringify({
      header: { number: slot, hash, parentNumber: parentSlot, parentHash, timestamp: blockTime },
      transactions: transactions.map(({ index, signature, isFailed }) => ({
        ...{ transactionIndex: index, signatures: [signature], err: isFailed ? {} : null },
      })),
      instructions: transactions.flatMap(({ index, instructions }) =>
        instructions.map(({ path, programId, accounts, data }) => ({
          ...{ transactionIndex: index, instructionAddress: path, programId, accounts, data },
        })),
      ),
    }),
  );

  it.each([
    ['with transactions', readBlock],
    ['with a count', readCount],
  ])('is a block %s that covers slots, or rejected', (_, read) => {
    fuzz(
      hostileJson(LINES),
      (line) => {
        new SqdCoverage(RANGE).add(read(line), true);
      },
      { throws: [MalformedTextError, HistoryAnswerError] },
    );
  });
});
