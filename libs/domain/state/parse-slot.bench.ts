import {
  JsonCursor,
  LIVE_PROGRAMS,
  parseBlock,
  type ProgramSet,
  TransactionFilter,
  TransactionParser,
} from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { type Bench, BENCH_BLOCK_FILE, readBenchBlock } from '@fresnel/testing/generic';
import { VersionedTransaction } from '@solana/web3.js';
import { parseSlot } from './parse-slot';

const SLOTS = 200;
/** As many decodings of the recorded block make a round. */
const REPETITIONS = 10;

export const bench: Bench = {
  title: 'Block decoding, from JSON text to events',
  data: `${SLOTS} generated slots, about 12 transactions per block, all kinds of compression events${
    BENCH_BLOCK_FILE === '' ? '; FRESNEL_BENCH_BLOCK names a recorded block' : `; ${BENCH_BLOCK_FILE}`
  }`,
  unit: 'blocks',
  prepare: () => {
    const blocks = [...generateLedger({ seed: 3, slots: SLOTS, transactionsPerSlot: 8 })].map(({ json }) => json);
    const decode = () => {
      if (countEvents(blocks, GENERATED_PROGRAMS) < SLOTS) throw new Error('too few events found');
      return Promise.resolve(blocks.length);
    };
    const parse = () => {
      for (const json of blocks) JSON.parse(json);
      return Promise.resolve(blocks.length);
    };
    const deserialize = () => {
      for (const json of blocks) {
        const { transactions } = JSON.parse(json) as { transactions: { transaction: [string]; version: unknown }[] };
        for (const { transaction, version } of transactions) {
          // web3.js does not support version 1.
          if (version !== 1) VersionedTransaction.deserialize(Buffer.from(transaction[0], 'base64'));
        }
      }
      return Promise.resolve(blocks.length);
    };
    return Promise.resolve({
      ways: [
        { name: 'Fresnel: transactions and events', run: decode },
        { name: 'JSON.parse alone', run: parse },
        { name: 'web3.js: transactions only, without version 1', run: deserialize },
        ...(BENCH_BLOCK_FILE === '' ? [] : recordedBlock()),
      ],
    });
  },
};

function recordedBlock(): Awaited<ReturnType<Bench['prepare']>>['ways'] {
  const json = readBenchBlock().toString();
  const blocks = Array.from({ length: REPETITIONS }, () => json);
  const decode = () => {
    countEvents(blocks, LIVE_PROGRAMS);
    return Promise.resolve(blocks.length);
  };
  const parse = () => {
    for (const block of blocks) JSON.parse(block);
    return Promise.resolve(blocks.length);
  };
  return [
    { name: `Fresnel, recorded block of ${json.length} bytes`, run: decode },
    { name: 'JSON.parse alone, recorded block', run: parse },
  ];
}

function countEvents(blocks: readonly string[], programs: ProgramSet): number {
  const parser = new TransactionParser(programs);
  const filter = new TransactionFilter(programs.accountCompression);
  // A backfill reads no signatures.
  const rules = { keeps: (json: string) => filter.mayName(json), signaturesFrom: Infinity };
  let events = 0;
  for (const json of blocks) {
    const { transactions } = parseSlot(parseBlock(new JsonCursor(json), toSlot(0), rules), 0, parser);
    for (const transaction of transactions) events += transaction.events.length;
  }
  return events;
}
