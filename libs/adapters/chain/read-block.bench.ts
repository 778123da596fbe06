import { toSlot } from '@fresnel/domain/primitives';
import { GENERATED_PROGRAMS, generateLedger } from '@fresnel/ledger-generator';
import { type Bench, BENCH_BLOCK_FILE, readBenchBlock } from '@fresnel/testing/generic';
import { readBlockText } from './read-block';

/** As many blocks make a round. */
const REPETITIONS = 20;
const { accountCompression } = GENERATED_PROGRAMS;
/** A backfill reads no signatures. */
const RULES = { slot: toSlot(1000), accountCompression, signaturesFrom: Infinity };

export const bench: Bench = {
  title: 'Large blocks, from bytes to the transactions that may involve compression',
  data: BENCH_BLOCK_FILE === '' ? 'a generated block, FRESNEL_BENCH_BLOCK names a recorded one' : BENCH_BLOCK_FILE,
  unit: 'blocks',
  prepare: () => {
    const block = BENCH_BLOCK_FILE === '' ? generateBlock() : readBenchBlock();
    const inTurns = (read: () => void) => () => {
      for (let count = 0; count < REPETITIONS; count++) read();
      return Promise.resolve(REPETITIONS);
    };
    return Promise.resolve({
      ways: [
        { name: `Fresnel, ${block.length} bytes`, run: inTurns(() => readBlockText(block.toString(), RULES)) },
        { name: 'JSON.parse alone', run: inTurns(() => JSON.parse(block.toString()) as unknown) },
      ],
    });
  },
};

/** A block of which every 20th transaction uses compression. */
function generateBlock(): Buffer {
  const weights = { vote: 0.5, transferSol: 0.2, foreignPrograms: 0.25 };
  const [{ json }] = generateLedger({ seed: 3, slots: 1, transactionsPerSlot: 700, weights });
  return Buffer.from(json);
}
