import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseHash, toSlot, ZERO_HASH } from '@fresnel/domain/primitives';
import { decodeChunk, encodeLine } from './snapshot-chunk.codec';
import { SnapshotFolder } from './snapshot-folder';
import { chunkName, decodeManifest, sha256Of } from './snapshot-manifest';

const range = (from: number, to: number) => ({ from: toSlot(from), to: toSlot(to) });
const line = (slot: number, problem: string | null = null) =>
  encodeLine({ slot: toSlot(slot), index: 3, json: `{"slot":${slot},"blockTime":7,"meta":null}`, problem });
const MANIFEST = {
  madeBy: 'test',
  genesisHash: 'genesis',
  from: toSlot(5),
  trees: [
    { tree: parseHash('11111111111111111111111111111111') as never, seq: 2n ** 60n, nextIndex: 4, root: ZERO_HASH },
  ],
};
const anchorAt = (slot: number) => ({ slot: toSlot(slot), blockhash: ZERO_HASH });

describe('SnapshotFolder', () => {
  let path: string;
  beforeEach(() => (path = mkdtempSync(join(tmpdir(), 'fresnel-snapshot-'))));
  afterEach(() => {
    rmSync(path, { recursive: true });
  });

  it('writes chunks, and then the manifest that names them', async () => {
    const folder = await SnapshotFolder.open(join(path, 'new'));
    await folder.addChunk(range(5, 9), [line(6), line(9, 'order-unknown: "x"')]);
    expect(existsSync(join(path, 'new/manifest.json'))).toBe(false);
    const sha256 = await folder.finish({ ...MANIFEST, anchor: anchorAt(9) });
    expect(readdirSync(join(path, 'new')).sort()).toEqual(
      ['manifest.json', `manifest-${sha256}.json`, chunkName(range(5, 9))].sort(),
    );
    const bytes = readFileSync(join(path, 'new/manifest.json'));
    expect(sha256Of(bytes)).toBe(sha256);
    const { chunks, ...manifest } = decodeManifest(bytes, 'x');
    expect(manifest).toEqual({ ...MANIFEST, anchor: anchorAt(9) });
    expect(chunks).toMatchObject([{ ...range(5, 9), transactions: 2 }]);
    const transactions = await decodeChunk(readFileSync(join(path, 'new', chunks[0].name)), chunks[0]);
    expect(transactions).toMatchObject([
      { slot: 6, index: 3, blockTime: 7, json: '{"meta":null}' },
      { slot: 9, problem: 'order-unknown: "x"' },
    ]);
  });

  it('goes on after an end at any time, and after its last snapshot', async () => {
    const first = await SnapshotFolder.open(path);
    await first.addChunk(range(5, 9), [line(6)]);
    // As a process leaves it that is killed while it writes the next chunk.
    writeFileSync(join(path, `${chunkName(range(10, 19))}.tmp`), 'x');
    const progress = join(path, 'chunks.partial');
    writeFileSync(progress, `${readFileSync(progress).toString()}{"name":"slots-10`);
    const second = await SnapshotFolder.open(path);
    expect(second.chunks).toEqual(first.chunks);
    await second.addChunk(range(10, 19), [line(12)]);
    const sha256 = await second.finish({ ...MANIFEST, anchor: anchorAt(19) });
    const third = await SnapshotFolder.open(path);
    expect(third.before?.anchor.slot).toBe(19);
    await third.addChunk(range(20, 30), []);
    await third.finish({ ...MANIFEST, anchor: anchorAt(30) });
    const manifest = decodeManifest(readFileSync(join(path, 'manifest.json')), path);
    expect(manifest.chunks.map(({ from, to }) => [from, to])).toEqual([[5, 9], [10, 19], [20, 30]]); // prettier-ignore
    // What was handed out stays.
    expect(decodeManifest(readFileSync(join(path, `manifest-${sha256}.json`)), path).anchor.slot).toBe(19);
  });

  it('does not go on after a file that was changed', async () => {
    const folder = await SnapshotFolder.open(path);
    const { name } = await folder.addChunk(range(5, 9), [line(6)]);
    writeFileSync(join(path, name), 'x');
    await expect(SnapshotFolder.open(path)).rejects.toThrow(`${name} has 1 bytes instead of`);
  });

  it('says that the disk is full, leaves no part of a file, and goes on later', async () => {
    const folder = await SnapshotFolder.open(path);
    await folder.addChunk(range(5, 9), [line(6)]);
    const name = chunkName(range(10, 19));
    symlinkSync('/dev/full', join(path, `${name}.tmp`));
    await expect(folder.addChunk(range(10, 19), [line(12)])).rejects.toMatchObject({
      code: 'snapshot',
      message: expect.stringMatching(/^the disk of .* is full: make room, and run the same command again/),
    });
    expect(readdirSync(path).sort()).toEqual(['chunks.partial', chunkName(range(5, 9))]);
    expect((await SnapshotFolder.open(path)).chunks).toHaveLength(1);
    await folder.addChunk(range(10, 19), [line(12)]);
  });

  it('says that a folder cannot be used', async () => {
    writeFileSync(join(path, 'file'), '');
    await expect(SnapshotFolder.open(join(path, 'file'))).rejects.toThrow(/cannot write to .*file: .*EEXIST/);
    writeFileSync(join(path, 'manifest.json'), 'x');
    await expect(SnapshotFolder.open(path)).rejects.toThrow('is no snapshot');
  });
});
