import { parseBlock, TransactionParser } from '@fresnel/domain/events';
import { toSlot } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { type Bench } from '@fresnel/testing/generic';
import { VersionedTransaction } from '@solana/web3.js';
import { parseSlot } from './parse-slot';

const SLOTS = 200;

export const bench: Bench = {
  title: 'Block decoding, from JSON text to events',
  data: `${SLOTS} generated slots, about 12 transactions per block, all kinds of compression events`,
  unit: 'blocks',
  prepare: () => {
    const blocks = [...generateLedger({ seed: 3, slots: SLOTS, transactionsPerSlot: 8 })];
    const parser = new TransactionParser(GENERATED_PROGRAMS);
    const decode = () => {
      let events = 0;
      for (const { slot, json } of blocks) {
        const block = parseBlock(toSlot(slot), JSON.parse(json), json, []);
        for (const transaction of parseSlot(block, 0, parser).transactions) events += transaction.events.length;
      }
      if (events < SLOTS) throw new Error(`only ${events} events found`);
      return Promise.resolve(blocks.length);
    };
    const deserialize = () => {
      for (const { json } of blocks) {
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
        { name: 'web3.js: transactions only, without version 1', run: deserialize },
      ],
    });
  },
};
