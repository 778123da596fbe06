import { toPubkey } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { loadGeyser, toBlockUpdate } from '@fresnel/testing/block-sources';
import { type Bench, BENCH_BLOCK_FILE, readBenchBlock } from '@fresnel/testing/generic';
import { parseBlockFrame } from './block-frame.codec';
import { decodeUpdate } from './geyser-client';

/** As many decodings make a round. */
const REPETITIONS = 50;
const SLOT = 1000;
/** The search for a key that the block does not have goes to its end. */
const ABSENT = toPubkey(Buffer.alloc(32, 0xee));

export const bench: Bench = {
  title: 'Blocks of a Yellowstone stream, from bytes to the frame and whether the block is needed',
  data: BENCH_BLOCK_FILE === '' ? 'a generated block, FRESNEL_BENCH_BLOCK names a recorded one' : BENCH_BLOCK_FILE,
  unit: 'blocks',
  prepare: () => {
    const json = BENCH_BLOCK_FILE === '' ? generateBlock() : readBenchBlock().toString();
    const numbered = json.replace('{', `{"slot":${SLOT},`);
    const { responseSerialize, responseDeserialize } = loadGeyser().Subscribe;
    const update = toBlockUpdate({ slot: SLOT, json: numbered }, { withTransactions: true, supportsVersion1: true });
    const bytes = responseSerialize(update);
    const repeat = (read: () => unknown) => () => {
      for (let count = 0; count < REPETITIONS; count++) read();
      return Promise.resolve(REPETITIONS);
    };
    const readFrame = () => {
      const { updateOneof: read } = decodeUpdate(bytes);
      if (read.case !== 'block' || parseBlockFrame(read.value, ABSENT, false).needsFetch)
        throw new Error('the block has the key');
    };
    return Promise.resolve({
      ways: [
        { name: `Fresnel, ${bytes.length} bytes`, run: repeat(readFrame) },
        { name: 'all fields, decoded by @grpc/proto-loader', run: repeat(() => responseDeserialize(bytes)) },
        { name: `JSON.parse of the block as ${json.length} bytes of JSON`, run: repeat(() => JSON.parse(json)) },
      ],
    });
  },
};

function generateBlock(): string {
  const [{ json }] = generateLedger({ seed: 3, slots: 1, transactionsPerSlot: 700 });
  return json;
}
