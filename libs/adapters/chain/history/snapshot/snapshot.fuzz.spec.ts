import { gzipSync } from 'node:zlib';
import { parseHash, toBase58, toPubkey, toSlot } from '@fresnel/domain/primitives';
import { generateLedger } from '@fresnel/ledger-generator';
import { fuzz, fuzzAsync, hostileBytes, hostileJson, hostileText } from '@fresnel/testing/generic';
import { readHistoryLedger } from '@fresnel/testing/history';
import { decodeChunk, encodeLine } from './snapshot-chunk.codec';
import {
  chunkName,
  decodeManifest,
  encodeManifest,
  sha256Of,
  SnapshotError,
  type SnapshotManifest,
} from './snapshot-manifest';

const throws = [SnapshotError];
const LEDGER = readHistoryLedger([...generateLedger({ seed: 37, slots: 6, transactionsPerSlot: 2 })]);
const LINES = LEDGER.flatMap(({ slot, blockTime, transactions }) =>
  transactions.map(({ index, json }, at) =>
    encodeLine({
      ...{
        slot: toSlot(slot),
        index,
        problem: at === 1 ? 'order-unknown: "\\" unknown' : null,
      },
      json: `{"slot":${slot},"blockTime":${blockTime},${json.slice(1)}`,
    }),
  ),
);
const TEXT = LINES.join('');
const RANGE = {
  from: toSlot(LEDGER[0].slot),
  to: toSlot(LEDGER[LEDGER.length - 1].slot),
};
const CHUNK = {
  ...RANGE,
  name: chunkName(RANGE),
  sha256: sha256Of(Buffer.from(TEXT)),
  bytes: 1_000,
  textBytes: Buffer.byteLength(TEXT) * 2,
  transactions: LINES.length,
};
const MANIFEST: SnapshotManifest = {
  madeBy: '1.0.0',
  genesisHash: toBase58(Buffer.alloc(32, 5)),
  from: RANGE.from,
  anchor: { slot: RANGE.to, blockhash: parseHash(LEDGER[0].hash) },
  chunks: [CHUNK],
  trees: [
    {
      tree: toPubkey(Buffer.alloc(32, 6)),
      seq: 2n ** 64n - 1n,
      nextIndex: 26,
      root: null,
    },
    {
      tree: toPubkey(Buffer.alloc(32, 7)),
      seq: 0n,
      nextIndex: 26,
      root: parseHash(LEDGER[0].hash),
    },
  ],
};

/** Inputs of past findings. */
const KNOWN = (
  [
    [/"seq": "0"/, '"seq": "abc"'],
    [/"seq": "0"/, '"seq": "-5"'],
    [/"version": 1/, '"version": {"toString": 1, "valueOf": 1}'],
    [/"textBytes": \d+/, '"textBytes": 1.5'],
  ] as const
).map(([valid, found]) => encodeManifest(MANIFEST).toString().replace(valid, found));

describe('the manifest of a snapshot', () => {
  it('is encoded to the same, or rejected with SnapshotError', () => {
    fuzz(
      hostileJson([encodeManifest(MANIFEST).toString()]),
      (json) => {
        const manifest = decodeManifest(Buffer.from(json), 'mirror');
        const read = decodeManifest(encodeManifest(manifest), 'mirror');
        expect(decodeManifest(encodeManifest(read), 'mirror')).toEqual(read);
        for (const { bytes, textBytes, transactions } of manifest.chunks) {
          expect([bytes, textBytes, transactions].every((size) => Number.isSafeInteger(size) && size >= 0)).toBe(true);
        }
      },
      { throws, known: KNOWN },
    );
  });
});

describe('a chunk of a snapshot', () => {
  it('has the transactions that the manifest names, or is rejected with SnapshotError, for any bytes', async () => {
    const read = async (file: Buffer) => {
      expect(await decodeChunk(file, CHUNK)).toHaveLength(CHUNK.transactions);
    };
    await fuzzAsync(hostileBytes([gzipSync(TEXT)]), read, {
      throws,
      runs: 100,
    });
  });

  it('has the transactions that the manifest names, or is rejected with SnapshotError, for any text', async () => {
    const read = async (text: string) => {
      expect(await decodeChunk(gzipSync(text, { level: 1 }), CHUNK)).toHaveLength(CHUNK.transactions);
    };
    await fuzzAsync(hostileText([TEXT]), read, { throws, runs: 100 });
  });

  it('is written of any transaction that begins as the index stores it', async () => {
    const [{ slot, blockTime, transactions }] = LEDGER;
    const stored = `{"slot":${slot},"blockTime":${blockTime},${transactions[0].json.slice(1)}`;
    await fuzzAsync(
      hostileText([stored]),
      async (json) => {
        const line = encodeLine({
          slot: RANGE.from,
          index: 0,
          json,
          problem: json.slice(0, 50),
        });
        const [read] = await decodeChunk(gzipSync(line), {
          ...CHUNK,
          textBytes: line.length * 3,
          transactions: 1,
        });
        expect(read.problem).toBe(json.slice(0, 50));
      },
      { throws, runs: 100 },
    );
  });
});
